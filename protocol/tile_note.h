// The note of a tile, by hand: of a world that is opened again they come by the thousand, and their keys are always the
// same ones in the same order. Both directions agree with the note's table (messages_tiles.c): the same bytes are
// written, and what is read here would have been read there to the same note. Any thread.
#ifndef NP_TILE_NOTE_H
#define NP_TILE_NOTE_H

#include "protocol/frame.h"
#include "protocol/messages.h"

// At least as many bytes as np_tile_note_write() needs.
size_t np_tile_note_bound(const np_tile_note *note);
// Writes the whole message; the tile's data only where data.data is set, else all that comes before it. Returns its
// size.
size_t np_tile_note_write(const np_tile_note *note, uint8_t *out);

// One whole message, as np_reader_next() gives it. True: it is a note of a tile, with its values; strings and data
// point into the bytes. False: it is another message, or one that was written in another way (keys in another order,
// some that are not known here, nil for what is absent) or is not in order: np_message_read() tells.
bool np_tile_note_read(const uint8_t *bytes, size_t count, np_tile_note *out);

// Takes the reader's next message, where it is such a note, all of it has come, and it is within the limits: what
// np_reader_next() and np_tile_note_read() would have given, in one step. False: nothing was taken, ask
// np_reader_next(). Borrowed until the next call of any of them.
bool np_tile_note_next(np_reader *r, np_tile_note *out);

#endif
