"""The graph that navctl exports, read by others: Python's XML and JSON readers, and NetworkX where it is installed.

Arguments: navctl, a scene, a folder to write to.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

navctl, scene, folder = sys.argv[1:]
XML = "{http://graphml.graphdrawing.org/xmlns}"
os.makedirs(folder, exist_ok=True)


def export(name, *options):
    path = os.path.join(folder, name)
    command = [navctl, "graph", scene, "--area-type", "63,name=grass,cost=2.5", "-o", path, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def value(text, kind):
    return {"string": str, "boolean": lambda t: t == "true"}.get(kind, int if kind in ("int", "long") else float)(text)


def read_graphml(path):
    root = ElementTree.parse(path).getroot()
    keys = {k.get("id"): (k.get("for"), k.get("attr.name"), k.get("attr.type")) for k in root.iter(XML + "key")}

    def data(element):
        found = {}
        for d in element.findall(XML + "data"):
            of, name, kind = keys[d.get("key")]
            assert of == element.tag[len(XML):], (of, element.tag)
            found[name] = value(d.text, kind)
        return found

    graph = root.find(XML + "graph")
    nodes = {n.get("id"): data(n) for n in graph.findall(XML + "node")}
    edges = [(e.get("source"), e.get("target"), data(e)) for e in graph.findall(XML + "edge")]
    return data(graph), nodes, edges


json_path, xml_path = export("graph.json"), export("graph.graphml")
with open(json_path) as f:
    document = json.load(f)
grid, nodes, edges = read_graphml(xml_path)
assert all(n["cost"] == 2.5 for n in document["nodes"]), document["nodes"][0]
assert grid["name"] == document["graph"]["name"] and grid["tiles"] == document["graph"]["tiles"], grid
assert len(nodes) == len(document["nodes"]) > 10, len(nodes)
assert len(edges) == len(document["edges"]) > 10, len(edges)
for n in document["nodes"]:
    same = nodes[str(n["id"])]
    assert [same["tile_x"], same["tile_z"]] == n["tile"] and [same["x"], same["y"], same["z"]] == n["centroid"], n
    assert all(same[k] == n[k] for k in ("cell", "area", "area_m2", "cost", "relaxed", "unreachable")), n
    assert n["area_m2"] > 0, n
for e, (source, target, same) in zip(document["edges"], edges):
    assert (int(source), int(target)) == (e["source"], e["target"]), e
    assert [same["from_x"], same["from_y"], same["from_z"]] == e["from"], e
    assert all(same[k] == e[k] for k in ("kind", "width", "clearance", "cost", "both_ways")), e
    a, b = e["from"], e["to"]
    assert abs(((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5 - e["width"]) < 1e-4, e
    assert 0 < e["clearance"], e
    assert (e["kind"] == "border") == (document["nodes"][e["source"]]["tile"] != document["nodes"][e["target"]]["tile"]), e

# The same ground with nodes on the edges that cells share.
edge_json, edge_xml = export("edges.json", "--nodes", "edges"), export("edges.graphml", "--nodes", "edges")
with open(edge_json) as f:
    by_edges = json.load(f)
edge_grid, edge_nodes, ways = read_graphml(edge_xml)
assert edge_grid["nodes"] == by_edges["graph"]["nodes"] == "edges", edge_grid
assert edge_grid["cells"] == by_edges["graph"]["cells"] == len(nodes), edge_grid
assert len(edge_nodes) == len(by_edges["nodes"]) == len(edges), len(edge_nodes)
assert len({tuple(n["at"]) for n in by_edges["nodes"]}) == len(edges), "two nodes in one place"
at_cell = {n["id"]: 0 for n in document["nodes"]}
for n, e in zip(by_edges["nodes"], document["edges"]):
    same = edge_nodes[str(n["id"])]
    assert n["id"] == e["key"] and n["kind"] == e["kind"], n
    assert [c["id"] for c in n["cells"]] == [e["source"], e["target"]], n
    for c in n["cells"]:
        cell = document["nodes"][c["id"]]
        assert c["tile"] == cell["tile"] and c["cell"] == cell["cell"], n
        at_cell[c["id"]] += 1
    assert all(n[k] == e[k] for k in ("from", "to", "width", "clearance")), n
    assert [same["x"], same["y"], same["z"]] == n["at"], n
    assert all(same[k] == n[k] for k in ("kind", "width", "clearance")), n
    assert (same["cell_id"], same["other_cell_id"]) == (e["source"], e["target"]), n
    assert [same["other_tile_x"], same["other_tile_z"]] == n["cells"][1]["tile"], n
    assert max(abs(m - (f + t) / 2) for m, f, t in zip(n["at"], n["from"], n["to"])) < 1e-5, n
assert len(ways) == len(by_edges["edges"]) == sum(k * (k - 1) // 2 for k in at_cell.values()), len(ways)
assert by_edges["graph"]["lone_cells"] == sum(k == 0 for k in at_cell.values())
for w, (source, target, same) in zip(by_edges["edges"], ways):
    assert (int(source), int(target)) == (w["source"], w["target"]), w
    assert all(same[k] == w[k] for k in ("kind", "length", "area", "area_name", "cost", "both_ways", "cell_id", "cell")), w
    cell = document["nodes"][w["cell_id"]]
    assert w["kind"] == "cell" and w["both_ways"] and w["area"] == cell["area"] and w["tile"] == cell["tile"], w
    a, b = (by_edges["nodes"][w[k]]["at"] for k in ("source", "target"))
    length = sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5
    assert abs(length - w["length"]) < 1e-5 and abs(w["length"] * cell["cost"] - w["cost"]) < 1e-4, w

try:
    import networkx
except ImportError:
    print("networkx is not installed: its readers were not asked")
    sys.exit(0)
read = networkx.read_graphml(xml_path)
assert (read.number_of_nodes(), read.number_of_edges()) == (len(nodes), len({frozenset(e[:2]) for e in edges})) or (
    read.is_multigraph() and read.number_of_edges() == len(edges)
), read
linked = networkx.node_link_graph({**document, "links": document["edges"]}, **(
    {"edges": "edges"} if networkx.__version__ >= "3.4" else {}
))
assert (linked.number_of_nodes(), linked.number_of_edges()) == (len(nodes), len(edges)), linked
parts = networkx.node_link_graph({**by_edges, "links": by_edges["edges"]}, **(
    {"edges": "edges"} if networkx.__version__ >= "3.4" else {}
))
assert (parts.number_of_nodes(), parts.number_of_edges()) == (len(edges), len(ways)), parts
# A cell that is alone is a part of its own; every other part of the cells is one of the portals.
assert networkx.number_connected_components(parts) + by_edges["graph"]["lone_cells"] == (
    networkx.number_connected_components(linked)
), parts
assert networkx.read_graphml(edge_xml).number_of_nodes() == len(edges)
print(f"{len(nodes)} cells, {len(edges)} portals, {networkx.number_connected_components(linked)} components")
