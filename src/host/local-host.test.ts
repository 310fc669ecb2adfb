import { hostSuite } from '../../test/support/suites/host-suite.ts';
import { localHost } from './local-host.ts';

hostSuite('localHost', localHost);
