// Everything about the selected tile: what it is, what it waits for, who made it out of date, why it failed, and its input.
import type { Why } from '../../../js/src/messages.js';
import type { Model, Selection } from '../model/model.ts';
import { INFO_AREA_SHIFT, INFO_RELAXED, INFO_UNREACHABLE, type Tile } from '../model/types.ts';
import { count, make, metres } from '../page/dom.ts';
import type { View } from '../scene/view.ts';
import { goToTile } from './go.ts';
import { addPanel, ago, button, callError, download, micros, showRows, type Panel } from './panel.ts';

type Rows = (readonly [string, string])[];

const AGAIN_MS = 150; // after a change, so that a burst of them asks once

export function mountInspector(host: HTMLElement, model: Model, view: View): void {
  const title = make('h3', { class: 'panel-title', tabindex: '-1' });
  const facts = make('dl', { class: 'facts' });
  const told = make('dl', { class: 'facts' });
  const trouble = make('p', { class: 'error', role: 'status' });
  const command = make('code', { class: 'command' });
  const hint = make('p', { class: 'note' }, 'Click on the ground to look into a tile, or find one with the slash key.');
  const rest = make(
    'div',
    { class: 'panel-rest' },
    title,
    trouble,
    facts,
    told,
    make(
      'div',
      { class: 'row' },
      button('Go there', () => at() && goToTile(model, view, at()!.x, at()!.z)),
      button('Download input', () => void downloadInput()),
    ),
    make('p', { class: 'note' }, 'For navctl: ', command),
  );
  let why: { at: Selection; answer: Why | null; words: string } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const at = () => model.selection.value;

  const panel = addPanel(host, 'inspector', 'Tile', true, draw);
  panel.body.append(hint, rest);

  function draw({ note }: Panel): void {
    const selection = at();
    hint.hidden = selection !== null;
    rest.hidden = selection === null;
    note(selection ? `${selection.x}, ${selection.z}` : '');
    if (!selection) return;
    const tile = model.shown.get(selection.x, selection.z);
    title.textContent = `Tile ${selection.x}, ${selection.z}`;
    command.textContent = `navctl tile dump ${model.world.value?.name ?? ''} ${selection.x} ${selection.z} -o tile.navdworld`;
    trouble.textContent = tile?.status === 'failed' ? `Failed: ${tile.reason}` : '';
    trouble.hidden = trouble.textContent === '';
    showRows(facts, tile ? tileRows(tile, selection, model) : [['Status', 'there is no tile here']]);
    const mine = why && why.at.x === selection.x && why.at.z === selection.z ? why : null;
    showRows(told, mine?.answer ? whyRows(mine.answer) : [['State', mine ? mine.words : 'asking…']]);
  }

  function ask(): void {
    clearTimeout(timer);
    const selection = at();
    const [world, profile] = [model.world.value, model.profile.value];
    if (!selection || !world || !profile || !panel.open) return;
    timer = setTimeout(() => {
      const { x, z } = selection;
      model.call<Why>('tiles.why', { world: world.id, profile: profile.name, x, z }).then(
        (answer) => (why = { at: selection, answer, words: '' }),
        (error: unknown) => (why = { at: selection, answer: null, words: callError(error, 'tiles.why') }),
      ).then(() => panel.changed());
    }, AGAIN_MS);
  }

  async function downloadInput(): Promise<void> {
    const selection = at();
    if (!selection) return;
    const { x, z } = selection;
    try {
      model.notice.emit(`Reading the input of tile ${x}, ${z}…`);
      const { tileInput } = await import('./tile_input.ts');
      const { text, triangles } = await tileInput(model, x, z);
      download(`${model.world.value?.name ?? 'world'}_${x}_${z}.obj`, new Blob([text], { type: 'model/obj' }));
      model.notice.emit(`The input of tile ${x}, ${z}: ${count(triangles, 'triangle')}`);
    } catch (error) {
      model.notice.emit(callError(error, 'world.objects'));
    }
  }

  model.selection.watch((selection) => {
    if (selection && (why?.at.x !== selection.x || why.at.z !== selection.z)) why = null;
    panel.changed();
    ask();
  });
  model.shown.changed.on((changes) => {
    const selection = at();
    if (!selection || (changes.length > 0 && !changes.some((c) => c.x === selection.x && c.z === selection.z))) return;
    panel.changed();
    ask();
  });
  model.synced.watch(ask);
  model.areas.watch(() => panel.changed());
}

function tileRows(tile: Tile, selection: Selection, model: Model): Rows {
  const rows: Rows = [
    ['Status', tile.status === 'empty' ? 'empty: nothing to walk on' : tile.status],
    ['Revision', `${tile.revision}`],
    ['Key', tile.content || 'none'],
    ['Built in', tile.madeUs ? micros(tile.madeUs) : tile.status === 'ok' ? 'from the cache' : '–'],
    ['Waited', micros(tile.queuedUs)],
    ['Size', `${count(tile.cells, 'cell')}, ${count(tile.bytes, 'byte')}${tile.links ? `, ${count(tile.links, 'link')}` : ''}`],
  ];
  const { mesh } = tile;
  if (mesh && mesh.triangles.length > 0) rows.push(['Heights', `${metres(mesh.minY)} to ${metres(mesh.maxY)} m`]);
  if (tile.components) rows.push(['Parts', [...new Set(tile.components)].join(', ')]);
  if (mesh && selection.cell >= 0 && selection.cell < mesh.firstTriangle.length - 1) {
    const info = mesh.info[mesh.triangles[mesh.firstTriangle[selection.cell]! * 3]!] ?? 0;
    const id = (info >>> INFO_AREA_SHIFT) & 63;
    const name = model.areas.value.find((area) => area.id === id)?.name;
    const more = [info & INFO_UNREACHABLE ? 'unreachable' : '', info & INFO_RELAXED ? 'relaxed' : ''].filter(Boolean).join(', ');
    rows.push(['Cell', `${selection.cell}, area ${name ? `${name} (${id})` : id}${more ? `, ${more}` : ''}`]);
    rows.push(['Place', selection.point.map(metres).join(', ')]);
  }
  return rows;
}

// What navd says when it is asked why.
function whyRows(why: Why): Rows {
  const rows: Rows = [['State', why.state]];
  const object = why.object === undefined ? '' : ` ${why.object}`;
  rows.push(['Caused by', `${why.cause || 'nothing yet'}${object}, revision ${why.cause_revision}, ${ago(Number(why.cause_ms))}`]);
  const { caller } = why;
  if (caller) rows.push(['Asked by', caller.client || caller.principal ? [caller.client, caller.principal].filter(Boolean).join(', ') : 'navd itself']);
  if (why.open_since !== undefined) rows.push(['Waits since', `revision ${why.open_since}${why.class ? `, ${why.class}` : ''}`]);
  for (const [stage, us] of Object.entries(why.stages ?? {})) rows.push([`· ${stage}`, micros(Number(us))]);
  const { failure } = why;
  if (failure) {
    rows.push(['Failure', `${failure.code}${failure.signal ? `, ${failure.signal}` : ''}: ${failure.reason}`]);
    if (failure.stage) rows.push(['In stage', failure.stage]);
    rows.push(['Tries', `${failure.tries}, since ${ago(Number(failure.since_ms))}${failure.retry_ms === undefined ? '' : `, again in ${Math.ceil(Number(failure.retry_ms) / 1000)} s`}`]);
  }
  return rows;
}
