// What the colours mean.
import type { Model } from '../model/model.ts';
import { type Mode, type Rgb, RAMP, STATUS_COLOURS, ageColour, areaColour, cssOf, timeColour } from '../scene/colours.ts';
import type { View } from '../scene/view.ts';
import { byId, make } from './dom.ts';

function swatch(label: string, colour: Rgb): HTMLElement {
  const box = make('span', { class: 'swatch', 'aria-hidden': 'true' });
  box.style.background = cssOf(colour);
  return make('li', {}, box, label);
}

function scale(colours: readonly Rgb[], low: string, high: string): HTMLElement[] {
  const bar = make('span', { class: 'ramp', 'aria-hidden': 'true' });
  bar.style.background = `linear-gradient(90deg, ${colours.map(cssOf).join(', ')})`;
  return [make('li', {}, bar), make('li', { class: 'ends' }, make('span', {}, low), make('span', {}, high))];
}

function entries(mode: Mode, model: Model, view: View): HTMLElement[] {
  switch (mode) {
    case 'height': {
      const [low, high] = view.ground.heights;
      return scale(RAMP, `${low.toFixed(1)} m`, `${high.toFixed(1)} m`);
    }
    case 'area': {
      const table = model.areas.value;
      const listed = table.map((a) => swatch(`${a.name || `area ${a.id}`}${a.walkable ? '' : ' (closed)'}`, areaColour(a.id, table)));
      return table.some((a) => a.id === 63) ? listed : [...listed, swatch('ordinary ground (63)', areaColour(63, table))];
    }
    case 'part':
      return [make('li', {}, `${model.componentCount.value.toLocaleString('en')} ${model.componentCount.value === 1 ? 'part' : 'parts'} that nothing connects`)];
    case 'age':
      return scale([1, 10, 60, 600, 3600].map(ageColour), '1 s', '1 h');
    case 'time':
      return [...scale([100, 1000, 10000, 100000].map(timeColour), '0.1 ms', '100 ms'), swatch('from the cache', timeColour(0))];
    case 'status':
      return [swatch('built', STATUS_COLOURS.ok), swatch('empty', STATUS_COLOURS.empty), swatch('failed', STATUS_COLOURS.failed)];
  }
}

export function showLegend(model: Model, view: View): void {
  const list = byId('legend');
  let heights = '';
  const draw = () => list.replaceChildren(...entries(view.mode.value, model, view));
  view.mode.watch(draw);
  model.areas.watch(draw);
  model.componentCount.watch(draw);
  view.afterFrame.on(() => {
    const now = view.ground.heights.join();
    if (view.mode.value !== 'height' || now === heights) return;
    heights = now;
    draw();
  });
}
