// The tiles that could not be built, each with the reason; a click goes there.
import type { Model } from '../model/model.ts';
import { count, make } from '../page/dom.ts';
import type { View } from '../scene/view.ts';
import { goToTile } from './go.ts';
import { addPanel, button } from './panel.ts';

const MOST_SHOWN = 200;

export function mountFailed(host: HTMLElement, model: Model, view: View): void {
  const none = make('p', { class: 'note' }, 'All tiles could be built.');
  const list = make('ul', { class: 'list', 'aria-label': 'Failed tiles' });
  const more = make('p', { class: 'note' });
  const panel = addPanel(host, 'failed', 'Failed tiles', false, () => {
    const { tiles, total } = model.failed.value;
    none.hidden = tiles.length > 0;
    list.replaceChildren(
      ...tiles.slice(0, MOST_SHOWN).map((tile) => {
        const where = make('strong', {}, `${tile.x}, ${tile.z}`);
        const entry = button('', () => goToTile(model, view, tile.x, tile.z), { class: 'entry' });
        entry.append(where, ` ${tile.reason || tile.code}`, make('small', {}, `${tile.code}${tile.stage ? ` in ${tile.stage}` : ''}${tile.signal ? `, ${tile.signal}` : ''}, ${count(tile.tries, 'try', 'tries')}`));
        return make('li', {}, entry);
      }),
    );
    const hidden = total - Math.min(tiles.length, MOST_SHOWN);
    more.hidden = hidden <= 0;
    more.textContent = `and ${hidden} more: navctl failed ${model.world.value?.name ?? ''}`;
  });
  panel.body.append(none, list, more);
  model.failed.watch(({ total }) => {
    panel.note(total ? `${total}` : '');
    panel.changed();
  });
}
