// Follows a world: prints each tile as it changes. node follow.mjs WORLD [COUNT]; with COUNT it ends after so many edits.
import { connect, readNavdTile } from 'navd-client/node';

const [name, count = Infinity] = process.argv.slice(2);
const navd = await connect();
navd.on((event) => event.type === 'lost' && console.error(`${event.error.message}; trying again`));

const { world, profiles, revision } = await navd.openWorld({ name });
let left = Number(count);
for await (const event of await navd.subscribe({ world, profile: profiles[0].name })) {
  if (event.type === 'tile') {
    const ground = event.data ? `${readNavdTile(event.data).cell_count} cells` : event.reason;
    console.log(`revision ${event.revision} tile ${event.x},${event.z} ${event.status} ${ground}`);
  }
  if (event.type === 'synced') console.log(`all of revision ${event.revision} is here`);
  if (event.type === 'ended') console.log(event.reason);
  if (event.type === 'synced' && event.revision >= revision && --left === 0) break;
}
navd.close();
