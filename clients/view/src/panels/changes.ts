// What has changed since the page was opened, the newest first. A click shows the world as it was after that change.
import type { HistoryEntry } from '../model/history.ts';
import type { Model } from '../model/model.ts';
import { count, make } from '../page/dom.ts';
import type { View } from '../scene/view.ts';
import { ago, addPanel, button } from './panel.ts';
import { goToTile } from './go.ts';

const MOST_SHOWN = 100;

export function mountChanges(host: HTMLElement, model: Model, view: View): void {
  const { history } = model;
  const none = make('p', { class: 'note' }, 'Nothing has changed since this page was opened.');
  const list = make('ol', { class: 'list', 'aria-label': 'Changes, the newest first' });
  const live = button('Live again', () => history.thaw());
  const panel = addPanel(host, 'changes', 'Changes', false, () => {
    const { entries } = history;
    const position = history.position.value;
    none.hidden = entries.length > 0;
    live.hidden = position === null;
    const focused = (document.activeElement as HTMLElement | null)?.dataset['entry'];
    list.replaceChildren(
      ...entries.slice(-MOST_SHOWN).map((entry, i) => {
        const index = Math.max(0, entries.length - MOST_SHOWN) + i;
        return make('li', {}, row(entry, index, (position ?? entries.length) - 1 === index));
      }).reverse(),
    );
    if (focused !== undefined) list.querySelector<HTMLElement>(`[data-entry="${focused}"]`)?.focus();
  });
  panel.body.append(none, live, list);

  function row(entry: HistoryEntry, index: number, shown: boolean): HTMLElement {
    const element = button('', () => {
      history.goTo(index + 1);
      const first = entry.changes[0];
      if (first) goToTile(model, view, first.x, first.z);
    }, { class: 'entry', 'data-entry': `${entry.revision}`, ...(shown ? { 'aria-current': 'true' } : {}) });
    const gone = entry.changes.filter((c) => c.after === null).length;
    const failed = entry.changes.filter((c) => c.after?.status === 'failed').length;
    const notes = [gone ? `${gone} removed` : '', failed ? `${failed} failed` : ''].filter(Boolean).join(', ');
    element.append(make('strong', {}, `Revision ${entry.revision}`), ` ${count(entry.changes.length, 'tile')}${notes ? `, ${notes}` : ''}`, make('small', {}, ago(performance.now() - entry.time)));
    return element;
  }

  const changed = () => {
    panel.note(history.entries.length ? `${history.entries.length}` : '');
    panel.changed();
  };
  history.grown.on(changed);
  history.position.watch(changed);
}
