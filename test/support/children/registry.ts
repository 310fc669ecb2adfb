// A registry in a process of its own, to be killed. Arguments: the folder of its store.
import { silentContext } from '../../../src/core/context.ts';
import { startRegistry } from '../../../src/registry/serving/start.ts';
import { openDiskStore } from '../../../src/store/disk/disk-store.ts';

const store = await openDiskStore(process.argv[2] ?? '');
const { url } = await startRegistry(silentContext(), {
  store,
  listeners: [{ port: 0 }],
  limits: { minFreeBytes: 0 },
});
process.send?.(url);
