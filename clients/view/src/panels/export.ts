// Files out of what is shown: the picture, and the ground as glTF.
import type { Model } from '../model/model.ts';
import { count } from '../page/dom.ts';
import type { View } from '../scene/view.ts';
import { make } from '../page/dom.ts';
import { addPanel, button, download } from './panel.ts';

export function mountExport(host: HTMLElement, model: Model, view: View): void {
  const name = () => `${model.world.value?.name ?? 'navd'}_${model.profile.value?.name ?? ''}_${model.revision.value}`.replace(/[^\w.-]+/g, '_');
  const panel = addPanel(host, 'export', 'Save', false, () => {});
  const run = (work: () => Promise<string>) => () => void work().then((said) => model.notice.emit(said), (error: unknown) => model.notice.emit(`It could not be saved: ${(error as Error).message}`));
  panel.body.append(
    make(
      'div',
      { class: 'row' },
      button('Picture (PNG)', run(async () => {
        const picture = await view.screenshot();
        download(`${name()}.png`, picture);
        return `Saved ${name()}.png`;
      })),
      button('Ground (glTF)', run(async () => {
        const { groundAsGlb } = await import('./glb.ts');
        const { bytes, triangles } = groundAsGlb(model);
        download(`${name()}.glb`, new Blob([bytes], { type: 'model/gltf-binary' }));
        return `Saved ${name()}.glb: ${count(triangles, 'triangle')}`;
      })),
    ),
    make('p', { class: 'note' }, 'As it is shown now, frozen or live. The glTF file has one mesh for each area.'),
  );
}
