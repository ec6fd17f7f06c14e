"""The zip installs, the add-on is enabled, disabled and enabled again, and a newer version on disk is what runs after that."""
import os
import sys
import zipfile

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import harness  # noqa: E402


def handlers():
    return {name: len(getattr(bpy.app.handlers, name)) for name in dir(bpy.app.handlers)
            if isinstance(getattr(bpy.app.handlers, name), list)}


def ours():
    return sorted(name for name in sys.modules if name.startswith(harness.ADDON + ".") or name.split(".")[0] == "navd")


with zipfile.ZipFile(os.environ["NAVD_ADDON"]) as file:
    names = file.namelist()
for wanted in ("__init__.py", "blender_manifest.toml", "LICENSE", "packages/navd/core.py", "packages/msgpack/fallback.py"):
    assert f"{harness.ADDON}/{wanted}" in names, f"the zip has no {wanted}"
assert not [name for name in names if not name.endswith((".py", ".pyi", ".typed", ".toml", "LICENSE"))], names

handlers_before = handlers()
addon = harness.install()
folder = os.path.dirname(addon.__file__)
assert folder.startswith(os.environ["BLENDER_USER_SCRIPTS"]), folder
assert sys.modules["navd.core"].__file__.startswith(folder), "navd does not come from the zip"
assert not [path for path in sys.path if path.startswith(folder)], "the add-on stays in sys.path"
types = set(dir(bpy.types))

harness.disable()
assert handlers() == handlers_before, f"handlers remain: {handlers()}"
assert not ours(), f"modules remain: {ours()}"

harness.enable()
assert set(dir(bpy.types)) == types, "enabling again registers other classes"

# A newer version on disk: disable and enable, as a person does after an update.
part = os.path.join(folder, "tools", "__init__.py")
with open(part, "a", encoding="utf-8") as file:
    file.write("\nREPLACED = True\n")
harness.disable()
harness.enable()
assert sys.modules[harness.ADDON + ".tools"].REPLACED, "the old version still runs"

# Reload Scripts (F3), and the same zip installed over it.
bpy.ops.script.reload()
assert sys.modules[harness.ADDON].__addon_enabled__
harness.install()
assert not hasattr(sys.modules[harness.ADDON + ".tools"], "REPLACED"), "installing again did not replace it"
harness.disable()
assert handlers() == handlers_before and not ours()
print("ok: installed, enabled, disabled, enabled, updated, reloaded, installed again")
