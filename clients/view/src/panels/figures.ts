// Charts of what navd does: the queue, how long a change takes, and what the caches spare. They read `stats` once a second while
// they are open and the page can be seen. A session that may not see the whole daemon's figures gets those of this world.
import type { Model } from '../model/model.ts';
import { make } from '../page/dom.ts';
import type { View } from '../scene/view.ts';
import type { Chart } from './chart.ts';
import { addPanel } from './panel.ts';

const EVERY_MS = 1000;
const KEPT = 300; // seconds
const RECENT_MS = 60_000;

type Stats = Record<string, number | bigint>;

export interface Sample {
  time: number; // seconds since 1970
  queue: number;
  running: number | null;
  p50: number | null; // milliseconds
  p99: number | null;
  hits: number | null; // per cent
}

interface Latency {
  at: number;
  ms: number;
  cached: boolean;
}

export function mountFigures(host: HTMLElement, model: Model, view: View): void {
  const samples: Sample[] = [];
  let recent: Latency[] = []; // of this world's tiles
  let before: Stats | null = null;
  let charts: Chart[] | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const figures = ['queue', 'latency', 'cache'].map((id) => make('figure', { class: 'chart', id: `chart-${id}` }, make('figcaption')));
  const note = make('p', { class: 'note' });
  const panel = addPanel(host, 'figures', 'Queue, latency, cache', false, () => run());
  panel.body.append(...figures, note);

  model.live.changed.on((changes) => {
    if (model.synced.value < 0) return;
    const at = Date.now();
    for (const { after } of changes) if (after && after.status !== 'failed') recent.push({ at, ms: (after.queuedUs + after.madeUs) / 1000, cached: after.madeUs === 0 });
    if (recent.length > 5000) recent = recent.slice(-5000);
  });

  const seen = () => panel.open && !document.hidden && !host.hidden && model.connection.value.state === 'open';

  function run(): void {
    clearTimeout(timer);
    if (seen()) void sample();
  }

  async function sample(): Promise<void> {
    let stats: Stats | null = null;
    try {
      stats = await model.call<Stats>('stats', {});
    } catch {
      // The bar at the bottom says that there is no connection.
    }
    if (stats) {
      samples.push(take(stats));
      if (samples.length > KEPT) samples.shift();
      if (!charts) {
        const { makeCharts } = await import('./chart.ts');
        charts ??= makeCharts(figures, view);
      }
      for (const chart of charts) chart.show(samples);
    }
    clearTimeout(timer);
    if (seen()) timer = setTimeout(() => void sample(), EVERY_MS);
  }

  function take(stats: Stats): Sample {
    const time = Date.now() / 1000;
    const number = (name: string): number | null => (stats[name] === undefined ? null : Number(stats[name]));
    const since = (name: string): number => (number(name) ?? 0) - Number(before?.[name] ?? stats[name] ?? 0);
    const whole = stats['tiles_queued'] !== undefined && stats['edit_to_tile_p50_us'] !== undefined;
    note.textContent = whole ? 'Of the whole daemon.' : 'Of this world as this page sees it; an admin sees the whole daemon.';
    const { done, total } = model.progress.value;
    let sampled: Sample;
    if (whole) {
      const hits = since('cache_hits') + since('disk_cache_hits');
      const asked = hits + since('jobs_built');
      sampled = {
        time,
        queue: number('tiles_queued')!,
        running: number('tiles_running'),
        p50: number('edit_to_tile_p50_us')! / 1000,
        p99: (number('edit_to_tile_p99_us') ?? 0) / 1000,
        hits: asked > 0 ? (100 * hits) / asked : null,
      };
    } else {
      recent = recent.filter(({ at }) => at > Date.now() - RECENT_MS);
      const sorted = recent.map(({ ms }) => ms).sort((a, b) => a - b);
      const rank = (p: number): number | null => (sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]! : null);
      const cached = recent.filter((r) => r.cached).length;
      sampled = { time, queue: Math.max(0, total - done), running: null, p50: rank(0.5), p99: rank(0.99), hits: recent.length ? (100 * cached) / recent.length : null };
    }
    before = stats;
    return sampled;
  }

  document.addEventListener('visibilitychange', run);
  new MutationObserver(run).observe(host, { attributes: true, attributeFilter: ['hidden'] });
  model.connection.watch(run);
}
