// The path tool: two handles on the ground, the way between them by navd, and Detour's beside it.
import type { Path, WatchedPath } from '../../../js/src/messages.js';
import type { Model, Selection } from '../model/model.ts';
import { make, metres } from '../page/dom.ts';
import { readPlace } from '../page/find.ts';
import { groundBelow } from '../scene/pick.ts';
import type { Tool, View } from '../scene/view.ts';
import type { DetourWorld } from './detour.ts';
import { addPanel, button, callError } from './panel.ts';
import { type End, type Point, PathMarks } from './path_marks.ts';

const GRAB_PX = 16;
const STATUS_WORDS: Record<Path['status'], string> = {
  found: 'found',
  partial: 'no way: ends as near as one can get',
  no_start: 'no ground at the start',
  no_goal: 'no ground at the goal',
  limit: 'given up: the search is too large',
};

export interface Found {
  words: string;
  length: number; // seen from above, metres; NaN: there is no path
  points: Float32Array;
  ms: number;
}

const NOTHING = new Float32Array(0);
const foundBy = ({ status, length_m, points }: Path | WatchedPath, ms: number): Found => ({
  words: STATUS_WORDS[status] ?? status,
  length: points.length ? length_m : NaN,
  points,
  ms,
});
const without = (words: string): Found => ({ words, length: NaN, points: NOTHING, ms: NaN });

export function mountPath(host: HTMLElement, model: Model, view: View): void {
  const ends: Record<End, Point | null> = { start: null, goal: null };
  const found: { navd: Found | null; detour: Found | null } = { navd: null, detour: null };
  const marks = new PathMarks(view);
  let detour: Promise<DetourWorld> | null = null;
  let turn = 0;
  let busy = false;
  let dirty = false;
  let follows = false; // navd tells when the path changes

  const place = button('Place handles', () => setTool(view.tool === null), { 'aria-pressed': 'false' });
  const clear = button('Clear', () => {
    ends.start = ends.goal = found.navd = found.detour = null;
    turn++;
    follows = false;
    model.watchPath(null, () => {});
    show();
  });
  const beside = make('input', { type: 'checkbox' });
  beside.checked = true;
  const inputs = { start: endInput('start', 'Start'), goal: endInput('goal', 'Goal') };
  const error = make('p', { class: 'error', role: 'alert', hidden: '' });
  const result = make('table', { class: 'compare' });
  const said = make('p', { class: 'unseen', 'aria-live': 'polite' });
  const panel = addPanel(host, 'path', 'Path', false, show);
  panel.body.append(
    make('div', { class: 'row' }, place, clear),
    make('label', { class: 'end' }, make('span', {}, 'Start'), inputs.start),
    make('label', { class: 'end' }, make('span', {}, 'Goal'), inputs.goal),
    error,
    make('label', { class: 'check' }, beside, ' Detour beside it'),
    result,
    said,
  );
  beside.addEventListener('change', () => {
    found.detour = null;
    show();
    again();
  });

  const tool: Tool = {
    down(at, event) {
      dragged = marks.near(event, GRAB_PX) ?? (at ? (ends.start === null ? 'start' : ends.goal === null ? 'goal' : null) : null);
      if (dragged === null) return false;
      if (at && ends[dragged] === null) set(dragged, at.point);
      return true;
    },
    move: (at) => drag(at),
    up(at) {
      drag(at);
      dragged = null;
    },
  };
  let dragged: End | null = null;
  const drag = (at: Selection | null) => at && dragged && set(dragged, at.point);

  function setTool(on: boolean): void {
    view.tool = on ? tool : null;
    place.setAttribute('aria-pressed', String(on));
    if (on) model.notice.emit(ends.start ? 'Drag the handles.' : 'Click on the ground: first the start, then the goal.');
  }

  function endInput(end: End, name: string): HTMLInputElement {
    const input = make('input', { type: 'text', placeholder: 'x z or x y z', 'aria-label': name, autocomplete: 'off', spellcheck: 'false' });
    input.addEventListener('change', () => {
      const read = readPlace(input.value);
      const wrong = typeof read === 'string' ? read : 'tile' in read ? 'Give a place here, not a tile: x z, or x y z.' : '';
      error.hidden = wrong === '';
      error.textContent = wrong;
      if (typeof read === 'string' || 'tile' in read) return;
      const y = read.y ?? groundBelow(model, read.x, Infinity, read.z);
      if (y === null) {
        error.hidden = false;
        error.textContent = `There is no ground at ${metres(read.x)}, ${metres(read.z)}. Give its height, too, or another place.`;
        return;
      }
      set(end, [read.x, y, read.z]);
    });
    return input;
  }

  function set(end: End, at: Point): void {
    ends[end] = at;
    follows = false;
    show();
    again();
  }

  // One search at a time; what has changed meanwhile is asked after it.
  function again(): void {
    dirty = true;
    if (!busy) void search();
  }

  async function search(): Promise<void> {
    const { start, goal } = ends;
    dirty = false;
    if (!start || !goal || !model.world.value || !model.profile.value) return;
    busy = true;
    const mine = ++turn;
    const asks = !follows;
    const [navd, other] = await Promise.all([asks ? byNavd(start, goal) : null, beside.checked ? byDetour(start, goal) : null]);
    busy = false;
    if (mine === turn) {
      if (navd) found.navd = navd;
      found.detour = other;
      if (asks && !dirty) follow(start, goal);
      show();
    }
    if (dirty) void search();
  }

  // From now on navd tells when the path between these places is another one. A navd that cannot is asked after every edit.
  function follow(from: Point, to: Point): void {
    model.watchPath({ from, to }, (path) => {
      if (ends.start !== from || ends.goal !== to) return;
      follows = path !== null;
      if (!path) return;
      found.navd = foundBy(path, found.navd?.ms ?? NaN);
      show();
    });
  }

  async function byNavd(from: Point, to: Point): Promise<Found> {
    const before = performance.now();
    try {
      const { paths } = await model.call<{ paths: Path[] }>('path.find', {
        world: model.world.value!.id,
        profile: model.profile.value!.name,
        queries: [{ from, to }],
      });
      return foundBy(paths[0]!, performance.now() - before);
    } catch (thrown) {
      return without(callError(thrown, 'path.find'));
    }
  }

  async function byDetour(from: Point, to: Point): Promise<Found> {
    try {
      detour ??= import('./detour.ts').then(({ DetourWorld: World }) => World.create(model));
      return await (await detour).find(from, to);
    } catch (thrown) {
      detour = null;
      return without(callError(thrown, 'tiles.get'));
    }
  }

  function show(): void {
    marks.show(ends.start, ends.goal, found.navd?.points ?? NOTHING, found.detour?.points ?? NOTHING);
    for (const end of ['start', 'goal'] as const) {
      const at = ends[end];
      if (document.activeElement !== inputs[end]) inputs[end].value = at ? at.map((n) => Number(n.toFixed(2))).join(' ') : '';
    }
    clear.disabled = !ends.start && !ends.goal;
    const { navd, detour: other } = found;
    result.hidden = !navd;
    result.dataset['follows'] = String(follows);
    panel.note(navd && !Number.isNaN(navd.length) ? `${metres(navd.length)} m` : '');
    if (!navd) return;
    const longer = other && navd.length > 0 ? ((other.length - navd.length) / navd.length) * 100 : NaN;
    const cells = (f: Found | null): string[] =>
      f ? [f.words, Number.isNaN(f.length) ? '–' : `${metres(f.length)} m`, `${f.points.length / 3 || '–'}`, Number.isNaN(f.ms) ? '–' : `${f.ms.toFixed(1)} ms`] : ['', '', '', ''];
    const [ours, theirs] = [cells(navd), cells(other)];
    if (!Number.isNaN(longer)) theirs[1] += ` (${longer >= 0 ? '+' : ''}${longer.toFixed(1)} %)`;
    const head = (text: string, kind: string) => make('th', { scope: 'col', class: kind }, text);
    result.replaceChildren(
      make('thead', {}, make('tr', {}, make('td'), head('navd', 'navd'), ...(other ? [head('Detour', 'detour')] : []))),
      make('tbody', {}, ...['Path', 'Length', 'Points', 'Time'].map((name, i) => make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, ours[i]!), ...(other ? [make('td', {}, theirs[i]!)] : [])))),
    );
    const words = `navd: ${ours[0]}, ${ours[1]}${other ? `. Detour: ${theirs[0]}, ${theirs[1]}` : ''}`;
    if (said.textContent !== words) said.textContent = words;
  }

  model.live.changed.on(() => ends.start && ends.goal && again());
  model.synced.watch(() => ends.start && ends.goal && again());
  const forget = () => {
    void detour?.then((d) => d.destroy()).catch(() => {});
    detour = null;
    clear.click();
  };
  let opened = '';
  const other = () => {
    const name = `${model.world.value?.id ?? ''} ${model.profile.value?.name ?? ''} ${model.tileSize}`;
    if (opened && opened !== name) forget();
    opened = name;
  };
  model.world.watch(other);
  model.profile.watch(other);
}
