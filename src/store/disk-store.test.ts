import { storeSuite } from '../../test/support/suites/store-suite.ts';
import { tempDir } from '../../test/support/temp.ts';
import { openDiskStore } from './disk-store.ts';

storeSuite('diskStore', async () => {
  const root = await tempDir();
  return { open: () => openDiskStore(root) };
});
