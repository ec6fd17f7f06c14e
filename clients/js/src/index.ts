// navd's client: everything but Node's sockets, which are in navd-client/node.

import { Client, type ClientOptions } from './client.js';
import { dialWebSocket } from './transports/websocket.js';

/** Connects to a URL such as ws://localhost:7600/socket. */
export function connectWebSocket(url: string | URL, options?: ClientOptions): Promise<Client> {
  return Client.connect(dialWebSocket(url), options);
}

export * from './client.js';
export * from './connection.js';
export * from './errors.js';
export { hex, IDENTITY, meshBytes, sha256, type Instance, type Mesh } from './geometry.js';
export { BLOCK, DIAGONALS, HOLE, heightsBytes, strokeOf, terrainBlocks, type Heights } from './heights.js';
export { placeOf } from './messages.js';
export type * from './messages.js';
export * from './path_watch.js';
export type { Within, WithinCell } from './within.js';
export type { CallOptions } from './session.js';
export { SHEETS, tileSize, type Settings, type SettingsParams, type Sheet } from './settings.js';
export * from './subscription.js';
export * from './tiles/detour_tile.js';
export * from './tiles/files.js';
export * from './tiles/navd_tile.js';
export type { Dial, Link, LinkEvents } from './transports/transport.js';
export { dialWebSocket } from './transports/websocket.js';
export { u64, type U64 } from './wire/values.js';
