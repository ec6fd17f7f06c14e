// Tiles come compressed with zstd, or as they are: see docs/protocol/tiles.md#uncompressed-tiles.

import { decompress } from 'fzstd';
import { FormatError } from './errors.js';
import type { Compression, Tile } from './messages.js';

/** Replaces `data` by the tile's own bytes; the same tile. Throws FormatError. */
export function unpackTile<T extends Tile>(tile: T, compression: Compression): T {
  if (!tile.data) return tile;
  let data = tile.data;
  if (compression === 'zstd') {
    try {
      data = decompress(data);
    } catch (error) {
      throw new FormatError(`navd sent tile ${tile.x},${tile.z} with data that is no zstd frame: ${(error as Error).message}`);
    }
  }
  if (data.length !== tile.size) {
    throw new FormatError(`navd sent tile ${tile.x},${tile.z} with ${data.length} bytes, and said it has ${tile.size}`);
  }
  tile.data = data;
  return tile;
}
