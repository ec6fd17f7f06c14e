#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the Blender add-on's zip: build_zip.py -o navd_blender.zip

It holds the package navd_blender and, in its folder `packages`, what it stands on: navd (clients/python) and msgpack as this
Python has it, without its compiled part. So the zip needs nothing from the network and runs on every system. Blender up to
4.1 installs it as an add-on (bl_info), 4.2 and newer as an extension (blender_manifest.toml). The same files make the same
bytes.
"""
import argparse
import ast
import importlib.util
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ADDON = "navd_blender"
KEPT = (".py", ".pyi", ".typed", ".toml")
MSGPACK_LICENCE = ("/usr/share/doc/python3-msgpack/copyright", "/usr/share/common-licenses/Apache-2.0")


def fail(message):
    sys.exit(f"build_zip: {message}")


def files_of(folder, prefix):
    """(name in the zip, path) of a package's sources."""
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            if name.endswith(KEPT):
                path = os.path.join(root, name)
                yield prefix + os.path.relpath(path, folder).replace(os.sep, "/"), path


def msgpack_folder():
    spec = importlib.util.find_spec("msgpack")
    if spec is None:
        fail(f"{sys.executable} has no msgpack: install python3-msgpack")
    return os.path.dirname(spec.origin)


def check_versions():
    """bl_info and the manifest must name the same version, as each Blender reads only one of them."""
    with open(os.path.join(HERE, ADDON, "__init__.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    info = next((ast.literal_eval(node.value) for node in tree.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info"), None)
    if info is None:
        fail("__init__.py has no bl_info")
    with open(os.path.join(HERE, ADDON, "blender_manifest.toml"), encoding="utf-8") as file:
        found = re.search(r'^version = "([0-9.]+)"', file.read(), re.MULTILINE)
    if not found or found[1] != ".".join(map(str, info["version"])):
        fail(f"bl_info has version {info['version']}, blender_manifest.toml has {found and found[1]}: make them equal")


def contents():
    addon = dict(files_of(os.path.join(HERE, ADDON), ADDON + "/"))
    navd = os.path.join(HERE, "..", "python", "navd")
    if not os.path.isdir(navd):
        fail(f"{navd} is missing")
    addon.update(files_of(navd, ADDON + "/packages/navd/"))
    addon.update(files_of(msgpack_folder(), ADDON + "/packages/msgpack/"))
    made = {name: open(path, "rb").read() for name, path in addon.items()}
    made[ADDON + "/LICENSE"] = open(os.path.join(HERE, "..", "..", "LICENSE"), "rb").read()
    licence = [open(path, "rb").read() for path in MSGPACK_LICENCE if os.path.exists(path)]
    if licence:
        made[ADDON + "/packages/msgpack/LICENSE"] = b"\n".join(licence)
    return made


def write(path, made):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name in sorted(made):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            file.writestr(entry, made[name])


def main():
    parser = argparse.ArgumentParser(description="makes the Blender add-on's zip")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    check_versions()
    made = contents()
    write(arguments.output, made)
    print(f"{arguments.output}: {len(made)} files, {os.path.getsize(arguments.output)} bytes")


if __name__ == "__main__":
    main()
