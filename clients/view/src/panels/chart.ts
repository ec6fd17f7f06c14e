// Three small charts by uPlot, each with its newest figures in words under it.
import uPlot from 'uplot';
import type { View } from '../scene/view.ts';
import type { Sample } from './figures.ts';

const HEIGHT = 92;

interface Series {
  name: string;
  colour: string; // a variable of the style sheet
  of(sample: Sample): number | null;
}

interface Kind {
  title: string;
  unit: string;
  series: Series[];
}

const KINDS: Kind[] = [
  { title: 'Queue', unit: 'tiles', series: [{ name: 'waiting', colour: '--accent', of: (s) => s.queue }, { name: 'running', colour: '--good', of: (s) => s.running }] },
  { title: 'Change to tile', unit: 'ms', series: [{ name: 'half within', colour: '--accent', of: (s) => s.p50 }, { name: '99 of 100 within', colour: '--wait', of: (s) => s.p99 }] },
  { title: 'From the caches', unit: '%', series: [{ name: 'spared', colour: '--good', of: (s) => s.hits }] },
];

export interface Chart {
  show(samples: readonly Sample[]): void;
}

const style = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A colour of the style sheet as the canvas takes it: light-dark() is resolved by an element.
function colourOf(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = style(name);
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

export function makeCharts(figures: HTMLElement[], view: View): Chart[] {
  return figures.map((figure, i) => makeChart(figure, KINDS[i]!, view));
}

function makeChart(figure: HTMLElement, kind: Kind, view: View): Chart {
  const caption = figure.querySelector('figcaption')!;
  const place = document.createElement('div');
  place.setAttribute('aria-hidden', 'true'); // the words below say it
  figure.prepend(place);
  let colours = new Map<string, string>();
  const colour = (name: string): string => {
    if (!colours.has(name)) colours.set(name, colourOf(name));
    return colours.get(name)!;
  };
  const axis = { stroke: () => colour('--soft'), grid: { stroke: () => colour('--line'), width: 1 }, ticks: { show: false }, font: '10px system-ui' };
  const plot = new uPlot(
    {
      width: place.clientWidth || 280,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_, __, max) => [0, Math.max(kind.unit === '%' ? 100 : 1, max * 1.1)] } },
      axes: [{ ...axis, size: 18, space: 70 }, { ...axis, size: 34, space: 26 }],
      series: [{}, ...kind.series.map(({ name, colour: c }) => ({ label: name, stroke: () => colour(c), width: 1.5, spanGaps: false, points: { show: false } }))],
    },
    [[], ...kind.series.map(() => [])],
    place,
  );
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(figure);
  view.dark.watch(() => {
    colours = new Map();
    plot.redraw(false);
  });
  return {
    show(samples) {
      plot.setData([samples.map((s) => s.time), ...kind.series.map((series) => samples.map((s) => series.of(s)))]);
      const last = samples[samples.length - 1];
      const words = kind.series.flatMap(({ name, of }) => {
        const value = last ? of(last) : null;
        return value === null ? [] : [`${Number(value.toFixed(value < 10 ? 1 : 0)).toLocaleString('en')} ${kind.unit} ${name}`];
      });
      caption.textContent = `${kind.title}: ${words.join(', ') || 'nothing yet'}`;
    },
  };
}
