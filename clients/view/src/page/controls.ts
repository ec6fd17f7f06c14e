// Buttons, switches and keys.
import type { Model } from '../model/model.ts';
import { type Mode, MODES, MODE_NAMES } from '../scene/colours.ts';
import type { View } from '../scene/view.ts';
import type { Signal } from '../model/signal.ts';
import { byId, count, make } from './dom.ts';

interface Key {
  keys: string;
  does: string;
  code?: string;
  run?: () => void;
}

function bindCheck(id: string, signal: Signal<boolean>): void {
  const box = byId<HTMLInputElement>(id);
  box.addEventListener('change', () => signal.set(box.checked));
  signal.watch((on) => (box.checked = on));
}

const toggle = (signal: Signal<boolean>) => signal.set(!signal.value);

export function bindControls(model: Model, view: View, openFind: () => void): void {
  const mode = byId<HTMLSelectElement>('mode');
  mode.replaceChildren(...MODES.map((m) => make('option', { value: m }, MODE_NAMES[m])));
  mode.addEventListener('change', () => view.mode.set(mode.value as Mode));
  view.mode.watch((m) => (mode.value = m));
  bindCheck('borders', view.borders);
  bindCheck('edges', view.edges);
  bindCheck('follow', view.follow);

  const objects = byId<HTMLInputElement>('objects');
  const note = byId('objects-note');
  objects.addEventListener('change', () => model.wantScene(objects.checked));
  model.scene.watch((scene) => {
    note.hidden = !objects.checked;
    note.textContent = scene ? scene.message || count(scene.triangles, 'triangle') : 'Loading…';
  });

  byId('fit').addEventListener('click', () => view.fitAll());
  byId('above').addEventListener('click', () => view.camera.fromAbove());
  const walk = byId('walk');
  const toggleWalk = () => view.camera.setMode(view.camera.mode.value === 'walk' ? 'orbit' : 'walk');
  walk.addEventListener('click', () => {
    toggleWalk();
    view.element.focus();
  });
  view.camera.mode.watch((m) => walk.setAttribute('aria-pressed', String(m === 'walk')));

  const panels = byId('panels');
  const panelToggle = byId('panel-toggle');
  const togglePanel = () => {
    panels.hidden = !panels.hidden;
    panelToggle.setAttribute('aria-expanded', String(!panels.hidden));
  };
  panelToggle.addEventListener('click', togglePanel);
  if (matchMedia('(max-width: 820px)').matches) togglePanel(); // there is no room for both

  const help = byId<HTMLDialogElement>('help');
  const keys: Key[] = [
    { keys: 'drag', does: 'turn around the centre; walking: look around' },
    { keys: 'right drag, Shift drag', does: 'move' },
    { keys: 'wheel', does: 'zoom to the cursor' },
    { keys: 'click', does: 'select tile and cell' },
    { keys: 'double click', does: 'centre here' },
    { keys: 'W A S D, arrows', does: 'move; with Shift faster' },
    { keys: 'Q E, Page Up Down', does: 'turn, tilt' },
    { keys: '+ −', does: 'zoom' },
    { keys: 'F', does: 'show all', code: 'KeyF', run: () => view.fitAll() },
    { keys: 'T', does: 'from above', code: 'KeyT', run: () => view.camera.fromAbove() },
    { keys: 'G', does: 'walk on the ground', code: 'KeyG', run: toggleWalk },
    { keys: '/', does: 'find a place', code: 'Slash', run: openFind },
    { keys: 'L', does: 'follow changes', code: 'KeyL', run: () => toggle(view.follow) },
    { keys: '1 – 6', does: 'colour by height, area, part, age, build time, status' },
    { keys: 'B C O', does: 'tile borders, cell edges, scene', code: 'KeyB', run: () => toggle(view.borders) },
    { keys: 'Space', does: 'freeze, and live again', code: 'Space', run: () => (model.history.frozen ? model.history.thaw() : model.history.freeze()) },
    { keys: ', .', does: 'one revision back, one on', code: 'Comma', run: () => model.history.step(-1) },
    { keys: 'P', does: 'panel', code: 'KeyP', run: togglePanel },
    { keys: 'Esc', does: 'select nothing; leave the walk', code: 'Escape', run: () => (view.camera.mode.value === 'walk' ? view.camera.setMode('orbit') : model.selection.set(null)) },
    { keys: '?', does: 'this list' },
  ];
  byId('keys').replaceChildren(...keys.flatMap(({ keys: k, does }) => [make('dt', {}, k), make('dd', {}, does)]));
  byId('help-open').addEventListener('click', () => help.showModal());
  const runs = new Map<string, () => void>(keys.flatMap((k) => (k.code && k.run ? [[k.code, k.run] as const] : [])));
  runs.set('KeyC', () => toggle(view.edges));
  runs.set('KeyO', () => objects.click());
  runs.set('Period', () => model.history.step(1));
  MODES.forEach((m, i) => runs.set(`Digit${i + 1}`, () => view.mode.set(m)));
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest('input:not([type=checkbox]), select, textarea, dialog')) return;
    if (event.code === 'Space' && target !== view.element && target !== document.body) return; // it presses the button that has the focus
    const run = event.key === '?' ? () => help.showModal() : event.key === '/' ? openFind : runs.get(event.code);
    if (!run) return;
    event.preventDefault();
    run();
  });
}
