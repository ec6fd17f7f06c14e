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
    subprocess.run([navctl, "graph", scene, "-o", path, *options], check=True, stdout=subprocess.DEVNULL)
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
print(f"{len(nodes)} cells, {len(edges)} portals, {networkx.number_connected_components(linked)} components")
