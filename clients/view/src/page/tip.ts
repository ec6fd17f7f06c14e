// What is under the cursor: beside it, and in the status bar.
import type { Model } from '../model/model.ts';
import { INFO_AREA_SHIFT, INFO_UNREACHABLE } from '../model/types.ts';
import type { View } from '../scene/view.ts';
import { byId, metres } from './dom.ts';

export function bindTip(model: Model, view: View): void {
  const tip = byId('tip');
  const where = byId('where');
  view.pointer.watch((at) => {
    where.textContent = at ? `${metres(at.point[0])}  ${at.on ? metres(at.point[1]) : '–'}  ${metres(at.point[2])}` : '';
    const tile = at?.on ? model.shown.get(at.on.x, at.on.z) : at ? tileBeside(model, at.point) : null;
    if (!at || !tile) {
      tip.hidden = true;
      return;
    }
    const lines = [`${at.point.map(metres).join(', ')}`, `tile ${tile.x}, ${tile.z}${at.on && at.on.cell >= 0 ? ` · cell ${at.on.cell}` : ''} · revision ${tile.revision}`];
    if (at.on && tile.mesh) {
      const info = tile.mesh.info[tile.mesh.triangles[tile.mesh.firstTriangle[at.on.cell]! * 3]!] ?? 0;
      const id = (info >>> INFO_AREA_SHIFT) & 63;
      const name = model.areas.value.find((a) => a.id === id)?.name;
      if (id !== 63 || name) lines.push(`area ${name ? `${name} (${id})` : id}`);
      if (info & INFO_UNREACHABLE) lines.push('no seed leads here');
    }
    if (tile.status === 'failed') lines.push(`failed: ${tile.reason}`);
    if (tile.status === 'empty') lines.push('nothing to walk on');
    tip.textContent = lines.join('\n');
    tip.hidden = false;
    const x = Math.min(at.px + 16, view.element.clientWidth - tip.offsetWidth - 8);
    const y = at.py + 20 + tip.offsetHeight > view.element.clientHeight ? at.py - tip.offsetHeight - 10 : at.py + 20;
    tip.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  });
}

// A failed or empty tile has no ground under the cursor, but something to say.
function tileBeside(model: Model, point: readonly [number, number, number]): ReturnType<Model['shown']['get']> {
  const { x, z } = model.tileAt(point[0], point[2]);
  const tile = model.shown.get(x, z);
  return tile && tile.status !== 'ok' ? tile : null;
}
