// The bar at the bottom, and what is said to a screen reader.
import type { Model } from '../model/model.ts';
import type { Tile, TileKey } from '../model/types.ts';
import type { View } from '../scene/view.ts';
import { byId, count } from './dom.ts';

const SAY_EVERY_MS = 1500;
const TOAST_MS = 4000;

export function bindStatus(model: Model, view: View): void {
  const connection = byId('connection');
  model.connection.watch(({ state, message }) => {
    connection.dataset.state = state;
    connection.textContent = { connecting: 'Connecting…', open: 'Live', waiting: 'Connection lost, trying again…', refused: 'Not connected' }[state];
    connection.title = message;
  });

  const tiles = byId('tiles');
  let wanted = false;
  const showTiles = () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      const position = model.history.position.value;
      const entry = position === null ? null : model.history.entries[position - 1];
      const revision = position === null ? `revision ${model.revision.value}` : entry ? `frozen at revision ${entry.revision}` : 'frozen before the oldest change';
      tiles.textContent = model.world.value ? `${count(model.shown.tiles.size, 'tile')} · ${revision}` : '';
    });
  };
  model.shown.changed.on(showTiles);
  model.revision.watch(showTiles);
  model.world.watch(showTiles);
  model.history.position.watch(showTiles);

  const progress = byId<HTMLProgressElement>('progress');
  model.progress.watch(({ done, total }) => {
    progress.hidden = done >= total;
    progress.max = Math.max(1, total);
    progress.value = done;
    progress.title = `${done} of ${count(total, 'tile')}`;
  });

  const failed = byId<HTMLButtonElement>('failed');
  failed.title = 'Go to the next failed tile';
  const failures = new Map<TileKey, Tile>();
  let next = 0;
  const note = (key: TileKey, tile: Tile | null) => {
    if (tile?.status === 'failed') failures.set(key, tile);
    else failures.delete(key);
  };
  const showFailed = () => {
    failed.hidden = failures.size === 0;
    failed.textContent = `${count(failures.size, 'tile')} failed`;
  };
  for (const [key, tile] of model.shown.tiles) note(key, tile); // came before this code
  showFailed();
  model.shown.changed.on((changes) => {
    if (changes.length === 0) failures.clear();
    for (const { key, after } of changes) note(key, after);
    showFailed();
  });
  failed.addEventListener('click', () => {
    const list = [...failures.values()];
    const tile = list[next++ % list.length];
    if (!tile) return;
    const size = model.tileSize;
    const [ox, oy, oz] = model.world.value?.origin ?? [0, 0, 0];
    const [x, z] = [ox + (tile.x + 0.5) * size, oz + (tile.z + 0.5) * size];
    view.goTo(x, z);
    model.selection.set({ x: tile.x, z: tile.z, cell: -1, point: [x, oy, z] });
    model.notice.emit(`Tile ${tile.x}, ${tile.z} failed: ${tile.reason}`);
  });

  bindHistory(model);
  bindSpeech(model);
}

function bindHistory(model: Model): void {
  const [freeze, back, on] = [byId<HTMLButtonElement>('freeze'), byId<HTMLButtonElement>('back'), byId<HTMLButtonElement>('on')];
  const show = () => {
    const position = model.history.position.value;
    const end = model.history.entries.length;
    freeze.setAttribute('aria-pressed', String(position !== null));
    freeze.textContent = position === null ? 'Freeze' : end > position ? `Live (+${end - position})` : 'Live';
    freeze.disabled = model.world.value === null;
    back.disabled = (position ?? end) === 0;
    on.disabled = position === null || position >= end;
  };
  model.history.position.watch(show);
  model.history.grown.on(show);
  model.world.watch(show);
  freeze.addEventListener('click', () => (model.history.frozen ? model.history.thaw() : model.history.freeze()));
  back.addEventListener('click', () => model.history.step(-1));
  on.addEventListener('click', () => model.history.step(1));
}

// Changes are gathered and said together: an edit a frame must not drown a screen reader.
function bindSpeech(model: Model): void {
  const said = byId('said');
  const toast = byId('toast');
  let changed = 0;
  let timer = 0;
  let toastTimer = 0;
  const say = () => {
    timer = 0;
    if (changed > 0) said.textContent = `${count(changed, 'tile')} changed, revision ${model.revision.value}`;
    changed = 0;
  };
  model.shown.changed.on((changes) => {
    if (model.synced.value < 0) return;
    changed += changes.length;
    if (!timer && changed > 0) timer = window.setTimeout(say, SAY_EVERY_MS);
  });
  model.notice.on((text) => {
    said.textContent = text;
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = window.setTimeout(() => (toast.hidden = true), TOAST_MS);
  });
  model.synced.watch((revision) => {
    if (revision >= 0 && model.world.value) said.textContent = `${model.world.value.name}: ${count(model.live.tiles.size, 'tile')}, revision ${revision}`;
  });
}
