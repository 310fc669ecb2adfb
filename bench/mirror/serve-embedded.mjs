// The embedded registry as a program: node serve-embedded.mjs FOLDER PORT
import { silentContext } from '../../dist/core/context.js';
import { startRegistry } from '../../dist/registry/start.js';
import { openDiskStore } from '../../dist/store/disk-store.js';

const [folder, port] = process.argv.slice(2);
await startRegistry(silentContext(), {
  store: await openDiskStore(folder),
  listeners: [{ port: Number(port) }],
});
