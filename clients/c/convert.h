// From the public structs to those of the protocol and the core, and back. Private to the client library.
#ifndef NAVD_CONVERT_H
#define NAVD_CONVERT_H

#include "navd.h"
#include "protocol/messages.h"

void navd_settings_to_core(const navd_settings *in, const double origin_m[3], nav_settings *out);
void navd_settings_from_core(const nav_settings *in, navd_settings *out);
void navd_operation_to_wire(const navd_operation *in, np_op *out);
// Of an object: NP_OP_PUT_INSTANCE, NP_OP_PUT_VOLUME, NP_OP_PUT_LINK.
void navd_object_from_wire(const np_op *in, navd_operation *out);

// The mesh as one string of bytes: vertices, then triangles, little-endian. Writes the part [offset, offset + count),
// both a multiple of 4.
void navd_mesh_bytes_store(const navd_mesh *mesh, uint64_t offset, uint8_t *out, uint64_t count);

#endif
