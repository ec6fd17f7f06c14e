// From the public structs to those of the protocol and the core, and back. Private to the client library.
#ifndef NAVD_CONVERT_H
#define NAVD_CONVERT_H

#include "navd.h"
#include "protocol/messages.h"

// As text of C, cut where it is longer than the room. size: of out, not 0.
void navd_text_copy(char *out, size_t size, np_str text);

void navd_settings_to_core(const navd_settings *in, const double origin_m[3], nav_settings *out);
void navd_settings_from_core(const nav_settings *in, navd_settings *out);
void navd_operation_to_wire(const navd_operation *in, np_op *out);
// Of an object: NP_OP_PUT_INSTANCE, NP_OP_PUT_VOLUME, NP_OP_PUT_LINK.
void navd_object_from_wire(const np_op *in, navd_operation *out);

void navd_area_to_wire(const navd_area_type *in, np_area *out); // out borrows the name
void navd_area_from_wire(const np_area *in, navd_area_type *out);
// A table; each id comes once.
void navd_areas_to_core(const navd_area_type *list, size_t count, nav_area_table *out);
void navd_areas_from_core(const nav_area_table *in, navd_area_type list[NAVD_MAX_AREAS]);

// A path whose links and points go to where both lead, which move on behind them: points, normals and sheets take
// navd_path_floats().
size_t navd_path_floats(const np_path_result *p);
void navd_path_from_wire(const np_path_result *in, navd_path_link **links, float **points, navd_path *out);

// The mesh as one string of bytes, as mesh.put describes it: its length, its hash, and the part [offset, offset +
// count), where offset is a multiple of 4 and count is too, but for the last part.
uint64_t navd_mesh_bytes(const navd_mesh *mesh);
nav_key navd_mesh_key(const navd_mesh *mesh);
void navd_mesh_bytes_store(const navd_mesh *mesh, uint64_t offset, uint8_t *out, uint64_t count);
// The mesh that a whole string describes: turned into the machine's own byte order in place, and borrowed.
// heights: filled and pointed to where the form is a height grid's. False: the string is none of that form.
bool navd_mesh_from_bytes(uint8_t *bytes, uint32_t vertices, uint32_t triangles, np_mesh_form form,
                          navd_heights *heights, navd_mesh *out);
np_mesh_form navd_mesh_form(const navd_mesh *mesh);
// How many vertices and triangles mesh.put says that it has.
void navd_mesh_counts(const navd_mesh *mesh, uint32_t *vertices, uint32_t *triangles);
nav_heights_spec navd_heights_to_core(const navd_heights *h);
navd_heights navd_heights_from_core(const nav_heights_spec *s); // both borrow samples and areas

#endif
