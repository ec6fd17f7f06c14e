"""Random operations on a scene, each as Blender's own operators and properties do it. All from one seed.

Nothing is remembered between operations but names: an undo or a load leaves no reference behind.
"""
import math
import os

import bmesh
import bpy

MOST_OBJECTS = 40
KINDS = ("move", "rotate", "scale", "edit", "edit_mode", "parent", "unparent", "instance", "nodes", "duplicate", "duplicate_linked", "add",
         "rename", "hide", "hide_viewport", "unhide", "exclude", "include", "regroup", "delete", "area", "material", "material_area",
         "modifier", "mesh_swap", "filter", "ignore", "undo", "redo", "save", "load", "save_as")


def start():
    """An empty scene with a floor."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=60)
    bpy.context.object.name = "Floor"
    for name in ("A", "B"):
        bpy.context.scene.collection.children.link(bpy.data.collections.new(name))


def reaches(start, target):
    """Whether a collection has another one in it, as a child or as an instance, however deep."""
    seen, open_ones = set(), [start]
    while open_ones:
        collection = open_ones.pop()
        if collection == target:
            return True
        if collection.name not in seen:
            seen.add(collection.name)
            open_ones += [*collection.children, *(ob.instance_collection for ob in collection.objects if ob.instance_collection)]
    return False


class Operations:
    def __init__(self, random, folder):
        self.random = random
        self.folder = folder
        self.files = 0
        self.log = []

    def run(self, kind):
        """One operation and its undo step. Returns what was done."""
        if bpy.context.mode != "OBJECT" and kind not in ("edit_mode", "undo", "redo"):
            bpy.ops.object.mode_set(mode="OBJECT")
        said = getattr(self, kind)() or ""
        if kind not in ("undo", "redo", "load"):
            bpy.ops.ed.undo_push(message=kind)
        self.log.append(f"{kind} {said}")
        return self.log[-1]

    # What is chosen.

    def objects(self, kinds=("MESH", "CURVE", "FONT", "META", "EMPTY")):
        return sorted((ob for ob in bpy.context.scene.objects if ob.type in kinds and ob.name != "Floor"), key=lambda ob: ob.name)

    def some(self, kinds=("MESH", "CURVE", "FONT", "META", "EMPTY")):
        objects = self.objects(kinds)
        return self.random.choice(objects) if objects else self.added()

    def place(self):
        return (self.random.uniform(-25, 25), self.random.uniform(-25, 25), self.random.uniform(-0.5, 2))

    def collection(self):
        return self.random.choice([bpy.context.scene.collection, *sorted(bpy.context.scene.collection.children, key=lambda c: c.name)])

    def link(self, ob, target=None):
        """Into a collection; into the scene's where it would instance what it is in. Blender 3.4 refuses that if it is that very
        collection, and with two that instance each other its view layer's update recurses until the stack is full: a crash of
        a plain Blender."""
        target = target or self.collection()
        if ob.instance_collection and reaches(ob.instance_collection, target):
            target = bpy.context.scene.collection
        target.objects.link(ob)
        return ob

    def added(self):
        kind = self.random.choice(("cube", "cube", "grid", "cone", "curve", "text", "meta"))
        name = f"{kind}{self.random.randrange(1000)}"
        if kind == "curve":
            data = bpy.data.curves.new(name, "CURVE")
            data.dimensions, data.bevel_depth = "3D", self.random.uniform(0.2, 1)
            spline = data.splines.new("POLY")
            spline.points.add(2)
            for point in spline.points:
                point.co = (*(self.random.uniform(-4, 4) for _ in range(2)), 0, 1)
        elif kind == "text":
            data = bpy.data.curves.new(name, "FONT")
            data.body, data.extrude, data.size = self.random.choice(("navd", "up", "A")), 0.5, 3
        elif kind == "meta":
            data = bpy.data.metaballs.new("Blob")
            data.elements.new().radius = self.random.uniform(1, 3)
            data.resolution = 0.6
        else:
            data = bpy.data.meshes.new(name)
            work = bmesh.new()
            if kind == "cube":
                bmesh.ops.create_cube(work, size=self.random.uniform(1, 4))
            elif kind == "grid":
                bmesh.ops.create_grid(work, x_segments=6, y_segments=6, size=self.random.uniform(2, 6))
                for vertex in work.verts:
                    vertex.co.z = self.random.uniform(0, 0.8)
            else:
                bmesh.ops.create_cone(work, cap_ends=True, segments=8, radius1=2, radius2=0.5, depth=2)
            work.to_mesh(data)
            work.free()
        ob = self.link(bpy.data.objects.new(name, data))
        ob.location = self.place()
        return ob

    def select(self, ob):
        for other in bpy.context.selected_objects:
            other.select_set(False)
        if ob.name not in bpy.context.view_layer.objects or not ob.visible_get():
            return False
        ob.select_set(True)
        bpy.context.view_layer.objects.active = ob
        return True

    # Operations.

    def add(self):
        if len(self.objects()) < MOST_OBJECTS:
            return self.added().name

    def move(self):
        ob = self.some()
        if self.random.random() < 0.5 and self.select(ob):
            bpy.ops.transform.translate(value=[self.random.uniform(-4, 4), self.random.uniform(-4, 4), self.random.uniform(-0.3, 0.3)])
        else:
            ob.location = self.place()
        return ob.name

    def rotate(self):
        ob = self.some()
        ob.rotation_euler = [self.random.uniform(-math.pi, math.pi) if axis == 2 else self.random.choice((0, 0, 0.3)) for axis in range(3)]
        return ob.name

    def scale(self):
        ob = self.some()
        ob.scale = [self.random.choice((0.3, 0.7, 1, 1.6, -1)) for _ in range(3)]
        return ob.name

    def change(self, work):
        for vertex in work.verts:
            if self.random.random() < 0.5:
                vertex.co.z += self.random.uniform(-0.5, 0.8)
        if self.random.random() < 0.3 and len(work.verts) < 300:
            made = bmesh.ops.create_cube(work, size=self.random.uniform(0.5, 3))
            bmesh.ops.translate(work, verts=made["verts"], vec=[self.random.uniform(-3, 3) for _ in range(3)])
        elif self.random.random() < 0.3 and len(work.faces) > 4:
            work.faces.ensure_lookup_table()
            bmesh.ops.delete(work, geom=[work.faces[self.random.randrange(len(work.faces))]], context="FACES")
        elif len(work.faces):
            work.faces.ensure_lookup_table()
            work.faces[self.random.randrange(len(work.faces))].material_index = self.random.randrange(3)

    def edit(self):
        """The mesh's data, as a script changes it."""
        ob = self.some(("MESH",))
        if ob.type != "MESH" or ob.data.library:
            return None
        work = bmesh.new()
        work.from_mesh(ob.data)
        self.change(work)
        work.to_mesh(ob.data)
        work.free()
        ob.data.update()
        return ob.name

    def edit_mode(self):
        """In edit mode; sometimes it stays there for the next operation, which may be an undo."""
        if bpy.context.mode != "EDIT_MESH":
            if bpy.context.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            ob = self.some(("MESH",))
            if ob.type != "MESH" or not self.select(ob):
                return None
            bpy.ops.object.mode_set(mode="EDIT")
        ob = bpy.context.object
        work = bmesh.from_edit_mesh(ob.data)
        self.change(work)
        bmesh.update_edit_mesh(ob.data)
        if self.random.random() < 0.5:
            bpy.ops.object.mode_set(mode="OBJECT")
        return ob.name

    def parent(self):
        child, parent = self.some(), self.some()
        while parent is not None and parent != child:
            parent = parent.parent
        if parent == child:
            return None
        parent = self.some()
        other = parent
        while other is not None:
            if other == child:
                return None
            other = other.parent
        child.parent = parent
        if self.random.random() < 0.5:
            child.matrix_parent_inverse = parent.matrix_world.inverted_safe()
        return f"{child.name} to {parent.name}"

    def unparent(self):
        children = [ob for ob in self.objects() if ob.parent]
        if children:
            ob = self.random.choice(children)
            ob.parent = None
            return ob.name

    def instance(self):
        """A collection, placed once more; or faces and vertices that instance the children."""
        if self.random.random() < 0.3:
            ob = self.some(("MESH",))
            ob.instance_type = self.random.choice(("NONE", "VERTS", "FACES")) if ob.children and ob.type == "MESH" and len(ob.data.vertices) < 60 else "NONE"
            return f"{ob.name} {ob.instance_type}"
        if len(self.objects(("EMPTY",))) >= 4:
            ob = self.some(("EMPTY",))
            ob.location = self.place()
            return ob.name
        ob = bpy.data.objects.new("Instance", None)
        ob.instance_type = "COLLECTION"
        ob.instance_collection = bpy.data.collections[self.random.choice("AB")]
        bpy.context.scene.collection.objects.link(ob)
        ob.location = self.place()
        return ob.name

    def nodes(self):
        """Geometry nodes that place instances on the object's vertices."""
        ob = self.some(("MESH",))
        if ob.type != "MESH" or len(ob.data.vertices) > 60 or ob.modifiers.get("Nodes"):
            for modifier in [modifier for modifier in ob.modifiers if modifier.type == "NODES"]:
                ob.modifiers.remove(modifier)
            return ob.name
        group = bpy.data.node_groups.get("Scatter") or self.scatter()
        ob.modifiers.new("Nodes", "NODES").node_group = group
        return ob.name

    @staticmethod
    def scatter():
        group = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
        given, made = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
        points, cone, join = (group.nodes.new(name) for name in (
            "GeometryNodeInstanceOnPoints", "GeometryNodeMeshCone", "GeometryNodeJoinGeometry"))
        group.links.new(given.outputs[0], points.inputs["Points"])
        group.links.new(cone.outputs[0], points.inputs["Instance"])
        group.links.new(points.outputs[0], join.inputs[0])
        group.links.new(given.outputs[0], join.inputs[0])
        group.links.new(join.outputs[0], made.inputs[0])
        return group

    def copy(self, linked):
        if len(self.objects()) >= MOST_OBJECTS:
            return None
        ob = self.some()
        if self.random.random() < 0.5 and self.select(ob):
            bpy.ops.object.duplicate(linked=linked)
            return bpy.context.object.name
        new = ob.copy()
        if not linked and ob.data:
            new.data = ob.data.copy()
        self.link(new)
        new.location = self.place()
        return new.name

    def duplicate(self):
        return self.copy(False)

    def duplicate_linked(self):
        return self.copy(True)

    def rename(self):
        ob, other = self.some(), self.some()
        if self.random.random() < 0.3:  # two that change names
            name, taken = ob.name, other.name
            ob.name = "between"
            other.name = name
            ob.name = taken
        else:
            ob.name = self.random.choice(("\u00fcber", "a/../b", "name", "..", "x" * 63, "\u2764\ufe0f", "\u200b", "a\\..\\b")) + str(self.random.randrange(50))
        return ob.name

    def hide(self):
        ob = self.some()
        if ob.name in bpy.context.view_layer.objects:
            ob.hide_set(True)
        return ob.name

    def hide_viewport(self):
        ob = self.some()
        ob.hide_viewport = not ob.hide_viewport
        return ob.name

    def unhide(self):
        for ob in self.objects():
            if ob.name in bpy.context.view_layer.objects and self.random.random() < 0.7:
                ob.hide_set(False)
                ob.hide_viewport = False

    def layer(self):
        return self.random.choice(list(bpy.context.view_layer.layer_collection.children))

    def exclude(self):
        layer = self.layer()
        which = self.random.choice(("exclude", "hide_viewport", "collection"))
        if which == "exclude":
            layer.exclude = True
        elif which == "hide_viewport":
            layer.hide_viewport = True
        else:
            layer.collection.hide_viewport = True
        return f"{layer.name} {which}"

    def include(self):
        for layer in bpy.context.view_layer.layer_collection.children:
            layer.exclude = layer.hide_viewport = layer.collection.hide_viewport = False

    def regroup(self):
        ob, target = self.some(), self.collection()
        for collection in list(ob.users_collection):
            collection.objects.unlink(ob)
        self.link(ob, target)
        return f"{ob.name} to {target.name}"

    def delete(self):
        ob = self.some()
        name = ob.name
        if self.random.random() < 0.5 and self.select(ob):
            bpy.ops.object.delete()
        else:
            bpy.data.objects.remove(ob)
        if self.random.random() < 0.5:  # another one, perhaps where the old one was in memory
            self.added()
        return name

    def area(self):
        ob = self.some()
        ob.navd.kind = self.random.choice(("GROUND", "AREA", "OBSTACLE"))
        ob.navd.area = self.random.randrange(1, 6)
        return ob.name

    def ignore(self):
        ob = self.some()
        ob.navd.kind = self.random.choice(("GROUND", "IGNORE"))
        return ob.name

    def some_material(self):
        name = self.random.choice(("Grass", "Water", "Stone"))
        return bpy.data.materials.get(name) or bpy.data.materials.new(name)

    def material(self):
        ob = self.some(("MESH", "CURVE"))
        if ob.data is None:
            return None
        if len(ob.material_slots) < 3:
            ob.data.materials.append(self.some_material())
        else:
            slot = self.random.choice(ob.material_slots)
            slot.link = self.random.choice(("OBJECT", "DATA"))
            slot.material = self.random.choice((None, self.some_material()))
        return ob.name

    def material_area(self):
        material = self.some_material()
        material.navd.kind = self.random.choice(("GROUND", "AREA", "OBSTACLE"))
        material.navd.area = self.random.randrange(1, 6)
        return material.name

    def modifier(self):
        ob = self.some(("MESH",))
        if ob.type != "MESH":
            return None
        if ob.modifiers:
            ob.modifiers.remove(ob.modifiers[0])
        elif self.random.random() < 0.4:
            other = self.some(("MESH",))
            if other != ob and other.type == "MESH" and not other.modifiers and len(ob.data.vertices) < 100:
                modifier = ob.modifiers.new("Boolean", "BOOLEAN")  # follows what another object does
                modifier.object, modifier.solver = other, "FAST"
        else:
            modifier = ob.modifiers.new("Array", "ARRAY")
            modifier.count = 2
        return ob.name

    def mesh_swap(self):
        """The object shows another mesh."""
        ob, other = self.some(("MESH",)), self.some(("MESH",))
        if ob.type == other.type == "MESH" and ob.mode == "OBJECT":
            ob.data = other.data
        return ob.name

    def filter(self):
        settings = bpy.context.scene.navd
        which = self.random.randrange(4)
        if which == 0:
            settings.collection = self.random.choice((None, None, bpy.data.collections["A"]))
        elif which == 1:
            settings.instances = not settings.instances
        elif which == 2:
            settings.kinds = {"MESH"} if len(settings.kinds) > 2 else {"MESH", "CURVE", "FONT", "META", "SURFACE"}
        else:
            settings.render_only = not settings.render_only
            self.some().hide_render = True

    def undo(self):
        steps = self.random.choice((1, 1, 2, 5))
        for _ in range(steps):
            if bpy.ops.ed.undo.poll():
                bpy.ops.ed.undo()
        return steps

    def redo(self):
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def save(self):
        self.files += 1
        bpy.ops.wm.save_as_mainfile(filepath=os.path.join(self.folder, "scene.blend"), compress=False)

    def save_as(self):
        self.files += 1
        bpy.ops.wm.save_as_mainfile(filepath=os.path.join(self.folder, f"scene{self.files % 3}.blend"), compress=False)

    def load(self):
        names = sorted(name for name in os.listdir(self.folder) if name.endswith(".blend"))
        if not names:
            return self.save()
        bpy.ops.wm.open_mainfile(filepath=os.path.join(self.folder, self.random.choice(names)))
        return bpy.data.filepath
