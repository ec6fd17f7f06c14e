"""The picture of a tile's sides, held against its JSON: every edge of every polygon is drawn once, a little inside of the
polygon and along the edge, in the colour of what is behind it, and the numbers are there.

Arguments: navctl, a scene, a folder to write to.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

navctl, scene, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
FLOOR = (0.895, 0.885, 0.860)
COLOURS = {"wall": (0.12, 0.13, 0.18), "cell": (0.56, 0.57, 0.60), "polygon": (0.56, 0.57, 0.60),
           "x+": (0.83, 0.16, 0.14), "z+": (0.14, 0.36, 0.82), "x-": (0.92, 0.55, 0.03), "z-": (0.12, 0.58, 0.26)}


def run(*arguments):
    return subprocess.run([navctl, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def style(element, name):
    """cairo writes one attribute with all of them, or one for each."""
    found = re.search(rf"(?:^|;)\s*{name}:([^;]*)", element.get("style", ""))
    return found.group(1) if found else element.get(name)


def colour(text):
    return tuple(float(n) / 100 for n in re.findall(r"([\d.]+)%", text or ""))


def same(a, b):
    return len(a) == 3 and max(abs(p - q) for p, q in zip(a, b)) < 0.006


def points(path):
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path)]
    return list(zip(numbers[::2], numbers[1::2]))


def read_svg(path):
    root = ElementTree.parse(path).getroot()
    faces, lines = [], []
    for e in root.iter(SVG + "path"):
        d = e.get("d", "")
        if same(colour(style(e, "fill")), FLOOR) and "Z" in d:
            faces.append(points(d.split("Z")[0]))
        stroke = colour(style(e, "stroke"))
        if style(e, "stroke-linecap") == "butt" and re.fullmatch(r"M [-\d.]+ [-\d.]+ L [-\d.]+ [-\d.]+ ?", d):
            lines.append((stroke, *points(d)))
    foot = max(y for face in faces for _, y in face)
    glyphs = [float(e.get("y")) for e in root.iter(SVG + "use") if "glyph" in e.get(LINK, "")]
    head = min(y for face in faces for _, y in face)
    return faces, [l for l in lines if l[1][1] <= foot], sum(head <= y <= foot for y in glyphs)


def check(t, picture):
    faces, lines, glyphs = read_svg(picture)
    shapes = t["mesh"].get("cells") or t["mesh"]["polygons"]
    vertices = t["mesh"]["vertices_m"]
    left, top = (min(p[a] for f in faces for p in f) for a in (0, 1))
    scale = (max(p[0] for f in faces for p in f) - left) / (t["max"][0] - t["min"][0])
    to_page = [(left + (v[0] - t["min"][0]) * scale, top + (v[2] - t["min"][2]) * scale) for v in vertices]
    drawn = digits = 0
    for s in shapes:
        corners = [to_page[v] for v in s["vertices"]]
        digits += len(str(s["id"])) + sum(len(str(v)) for v in s["vertices"])
        for k, side in enumerate(s["sides"]):
            a, b = corners[k], corners[(k + 1) % len(corners)]
            length = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5
            along = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)

            def place(p):  # along the edge, and into the polygon, which is to the left of it
                x, y = p[0] - a[0], p[1] - a[1]
                return x * along[0] + y * along[1], x * along[1] - y * along[0]

            def is_twin(line):
                (begin, inner), (end, other) = place(line[1]), place(line[2])
                return same(line[0], COLOURS[side]) and abs(inner - other) < 0.05 and 0.2 < inner < 8 and (
                    -8 <= begin < end <= length + 8) and end - begin > 0.09 * length

            found = [l for l in lines if is_twin(l)]
            assert found, (s["id"], k, side)
            # A floor above may have an edge of the same colour in the same line: the one that fits this edge best.
            lines.remove(min(found, key=lambda l: abs(place(l[1])[0]) + abs(length - place(l[2])[0])))
            drawn += 1
    assert not lines, lines  # nothing else is drawn so
    assert glyphs <= digits and glyphs > 0.8 * digits, (glyphs, digits)
    return drawn


drawn = 0
for options in (["--encoding", "navd"], ["--encoding", "detour"], ["--outlines", "true"], ["--partition", "watershed"]):
    for x, z in ((1, 1), (3, 1), (1, 2)):
        picture = os.path.join(folder, "sides.svg")
        t = json.loads(run("tile", scene, x, z, "--json", "--picture", picture, *options))
        drawn += check(t, picture)
        # The picture of all parts is the same code: of this tile alone it has the same lines.
        if options == ["--encoding", "navd"]:
            whole = os.path.join(folder, "build.svg")
            run("build", scene, "--only-tile", f"{x},{z}", "--picture", whole, "--show", "sides")
            assert check(t, whole) > 0
print(f"{drawn} sides")
