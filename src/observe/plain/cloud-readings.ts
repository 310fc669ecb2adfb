import { because, type PlainReading, word } from './plain-reading.ts';

/** What clouds, and the programs that make things in them, say of what is not there or does not come about. */
export const CLOUD_READINGS: readonly PlainReading[] = [
  {
    id: 'says-cloud-late',
    pattern:
      /(?:waiting for (?<what>[^:"]{3,120}): |(?<step>[Ee]rror (?:launching|creating|updating|deleting) [\w ]{3,60}): )?timeout while waiting for (?:state to become '(?<want>[^']+)'|resource to be gone) \((?:last state: '(?<last>[^']*)', )?timeout: (?<time>[\w.]+)\)/,
    cause: (found) => {
      const what = word(found, 'what') ?? 'something';
      const aim = word(found, 'want') === undefined ? 'gone' : word(found, 'want');
      const last = word(found, 'last');
      const state = last === undefined ? ` not ${aim}` : ` still ${last}, and not ${aim}`;
      return `The cloud did not come to an end with it in ${word(found, 'time')}: ${what} is${state}${because(word(found, 'step'))}`;
    },
    remedy:
      'Look at it in the cloud, and whether the account is throttled or the service has a disturbance; then try again',
  },
  {
    id: 'says-aws-missing',
    pattern:
      /(?<![\w.])(?<code>Invalid\w+\.NotFound|NoSuchEntity|NoSuchHostedZone|(?<=api error |\()ResourceNotFoundException)(?:\)[^:]{0,80})?: (?<why>[^"\\]{8,200})/,
    cause: (found) =>
      `AWS does not have it in this account and region: ${word(found, 'why')}${because(word(found, 'code'))}`,
    remedy: 'Correct the name or id, and look at the region and account that are asked',
  },
  {
    // OpenStack answers with one member that is named by what is wrong; its clients print it as it came.
    id: 'says-openstack',
    pattern:
      /\{\\?"(?<code>itemNotFound|badRequest|conflictingRequest|forbidden|overLimit|computeFault|NeutronError|unauthorized|badMethod|instanceFault)\\?": ?\{[^{}]{0,200}?\\?"message\\?": ?\\?"(?<why>[^"\\]{8,300})|\\?"faultstring\\?": ?\\?"(?<fault>[^"\\]{8,300})/,
    cause: (found) =>
      `OpenStack refuses it: ${word(found, 'why', 'fault')}${because(word(found, 'code'))}`,
    remedy:
      'Correct what it names (flavor, network, image, quota, right of the project); "openstack ... list" shows what this project sees',
  },
  {
    id: 'says-cloud-fails',
    pattern: /ConnectionPool\(host='(?<host>[^']+)'.{0,600}too many (?<code>5\d\d) error responses/,
    cause: (found) =>
      `${word(found, 'host')} answers each try with an error of its own (${word(found, 'code')})`,
    remedy:
      'Try it later, and by another way (console, another version of the client); where it stays, something in what is sent breaks the service: leave parts of it out',
  },
  {
    // Deployment Manager of Google Cloud.
    id: 'says-google-resource',
    pattern:
      /"ResourceType\\*": ?\\*"(?<type>[\w.:/-]+)\\*".{0,40}"ResourceErrorCode\\*": ?\\*"(?<code>\w+)\\*",\\*"ResourceErrorMessage\\*": ?(?:\{.{0,200}?\\*"message\\*": ?)?\\*"(?<why>[^"\\]{8,300})/,
    cause: (found) =>
      `Google Cloud does not make the resource (${word(found, 'type')}, ${word(found, 'code')}): ${word(found, 'why')}`,
    remedy:
      'Correct what it names in the template or the project, delete the deployment and make it anew',
  },
  {
    id: 'says-ovirt-answer',
    pattern: /(?:(?<step>[\w ,!()-]{5,160})[:,] )?Failed to find StartElement/,
    cause: (found) =>
      `The engine of oVirt gave no answer of its API${because(word(found, 'step'))}: nothing, or the page of an error, as for a call that this version does not know`,
    remedy:
      'Look at the log of the engine (/var/log/ovirt-engine/engine.log) for that moment, at the address of the API (it ends with /ovirt-engine/api), and at its version',
  },
  {
    // The newer API of vCenter wraps its reason, and answers 400 whatever it is.
    id: 'says-vcenter',
    pattern:
      /"error_type": ?"(?<code>[A-Z_]{5,60})".{0,2000}?"default_message": ?"(?<why>[^"\\]{8,600})/,
    cause: (found) => `vCenter refuses it (${word(found, 'code')}): ${word(found, 'why')}`,
    remedy:
      'Look at what it names in vCenter (its tasks and events tell more), mend it and try again',
  },
];
