// Stands between a client and a daemon: cuts connections, and cuts the daemon's bytes into pieces.
import { createConnection, createServer } from 'node:net';

export class Proxy {
  /** piece: bytes that are passed on at once; 0: as they come. */
  static async start(t, daemon, piece = 0) {
    const proxy = new Proxy();
    proxy.sockets = new Set();
    proxy.open = true;
    proxy.server = createServer((client) => {
      if (!proxy.open) return client.destroy();
      const server = createConnection(daemon.address);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ]) {
        proxy.sockets.add(from);
        from.setNoDelay?.(true);
        from.on('error', () => {});
        from.on('close', () => {
          to.destroy();
          proxy.sockets.delete(from);
        });
        from.on('data', (bytes) => {
          if (from === client) proxy.#look(bytes);
          else if (proxy.held) return void proxy.held.push([to, bytes]);
          const step = from === server && piece > 0 ? piece : bytes.length;
          for (let i = 0; i < bytes.length; i += step) to.write(bytes.subarray(i, i + step));
        });
      }
    });
    await new Promise((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    proxy.address = `127.0.0.1:${proxy.server.address().port}`;
    t.after(() => {
      proxy.cut();
      proxy.server.close();
    });
    return proxy;
  }

  /** Ends all connections; new ones end at once, too. */
  cut() {
    this.open = false;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Once a client has sent this word, what the daemon says waits until release(). Resolves then. */
  hold(word) {
    return new Promise((resolve) => {
      this.wanted = { word, resolve, seen: '' };
    });
  }

  release() {
    const held = this.held;
    this.held = undefined;
    for (const [to, bytes] of held) to.write(bytes);
  }

  // Before the bytes go on: so no answer to them can have come.
  #look(bytes) {
    if (!this.wanted) return;
    const { word, resolve, seen } = this.wanted;
    this.wanted.seen = seen.slice(-word.length) + bytes.toString('latin1');
    if (!this.wanted.seen.includes(word)) return;
    this.wanted = undefined;
    this.held = [];
    resolve();
  }

  mend() {
    this.open = true;
  }
}
