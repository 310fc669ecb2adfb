import { because, type PlainReading, word } from '../plain-reading.ts';

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
      /(?<![\w.])(?<code>Invalid\w+\.NotFound|NoSuchEntity|NoSuchHostedZone|(?<=api error |\()ResourceNotFoundException)(?:\)[^:]{0,80})?: (?![^"\\]{0,120}malformed)(?<why>[^"\\]{8,200})/,
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
  {
    id: 'says-aws-setting',
    pattern:
      /\b(?<region>You must specify a region\b|MissingRegion: |an AWS region is required|Invalid Configuration: Missing Region)|failed to (?:load|get) shared config profile, (?<profile>[\w.-]+)|The config profile \((?<named>[^)]{1,80})\) could not be found|Could not connect to the endpoint URL: "(?<url>[^"]+)"/,
    cause: (found) => {
      const url = word(found, 'url');
      if (url !== undefined)
        return `${url} is not reached: there is no way to that endpoint from here, or no such region or service`;
      const profile = word(found, 'profile', 'named');
      return profile === undefined
        ? 'No region of AWS is given: not on the command line, in AWS_REGION or AWS_DEFAULT_REGION, nor in ~/.aws/config'
        : `The files in ~/.aws of the user that runs this have no profile ${profile}`;
    },
    remedy:
      'Set AWS_REGION and AWS_PROFILE ("aws configure list" shows what is taken); without internet each service needs a VPC endpoint or a proxy',
  },
  {
    // The SDKs of AWS, old and new, and its command line; storages that speak S3 answer alike.
    id: 'says-aws-answer',
    pattern:
      /(?:\bapi error (?<code>[A-Z][\w.]{3,60})|An error occurred \((?<kind>[A-Z][\w.]{3,60})\) when calling the (?<call>\w+) operation(?: \([^)]{1,60}\))?): (?<why>[^\n"]{8,300})|\b(?<old>[A-Z][a-z]+[A-Z][\w.]{3,60}): (?<said>[^\n":]{8,200}?)\s+status code: [45]\d\d, request id/,
    cause: (found) =>
      `AWS, or what speaks its API, refuses ${word(found, 'call') ?? 'the call'}: ${word(found, 'why', 'said')}${because(word(found, 'code', 'kind', 'old'))}`,
    remedy: 'Correct what it names; region, account and rights of the caller are worth a look',
  },
  {
    // The answer as it came; what programs make of it, "says-azure" reads.
    id: 'says-azure-answer',
    pattern:
      /"error\\*": ?\{\s*\\*"code\\*": ?\\*"(?<code>[A-Z]\w{4,60})\\*",\s*\\*"message\\*": ?\\*"(?<why>[^"\\]{8,300})|\bERROR CODE: (?<kind>[A-Z]\w{4,60}).{0,120}?"message": ?"(?<said>[^"\\]{8,300})/,
    cause: (found) =>
      `Azure, or an API like it, refuses it: ${word(found, 'why', 'said')}${because(word(found, 'code', 'kind'))}`,
    remedy:
      'Correct what it names; the activity log of the resource group shows the call and who made it',
  },
  {
    id: 'says-google-answer',
    pattern:
      /\bgoogleapi: Error (?<code>4\d\d|5\d\d): (?!Precondition check failed|Required '|Permission |Quota )(?<why>[^\n"]{8,300}?)(?:, (?<kind>[a-z]\w{3,40}))?(?="|\s*$)/,
    cause: (found) =>
      `Google Cloud answers ${word(found, 'code')}: ${word(found, 'why')}${because(word(found, 'kind'))}`,
    remedy:
      'Correct what it names; look at project, region and the roles of the service account that asks',
  },
  {
    id: 'says-openstack-client',
    pattern:
      /Missing value (?<option>auth-url) required for auth plugin|\bCloud (?<cloud>[\w.-]+) was not found\.?\s*$|\b(?<kind>public|internal|admin) endpoint for (?<service>[\w-]+) service (?:in (?<region>\S+) region )?not found|More than one (?<what>\w+) exists with the name '(?<name>[^']+)'/,
    cause: (found) => {
      const what = word(found, 'what');
      const service = word(found, 'service');
      if (what !== undefined)
        return `OpenStack has more than one ${what} that is called ${word(found, 'name')}`;
      if (service !== undefined)
        return `OpenStack has no ${word(found, 'kind')} endpoint of the service ${service} in its catalogue${because(word(found, 'region'))}`;
      return word(found, 'cloud') === undefined
        ? 'The client is not told which OpenStack it is to talk to: no cloud is chosen, and no OS_AUTH_URL is set'
        : `clouds.yaml has no cloud ${word(found, 'cloud')}, or the client does not find that file`;
    },
    remedy:
      'Set OS_CLOUD to an entry of clouds.yaml (or source the openrc file), look at "openstack catalog list", and name things by their id',
  },
  {
    id: 'says-openstack-build',
    pattern:
      /(?<why>Volume \S+ did not finish being created even after we waited \d+ seconds[^"\n]{0,80}|(?:Binding|Port binding) failed for port \S+|Exhausted all hosts available for retrying build failures for instance \S+|Build of instance \S+ (?:aborted|was re-scheduled): (?!Volume )[^"\n]{8,200}|Amphora \S+ failed to become active)/,
    cause: (found) => `OpenStack does not bring the machine or service up: ${word(found, 'why')}`,
    remedy:
      'What stands behind it, the service tells: "openstack server show" and "openstack volume show", then the logs of nova-compute, cinder-volume or the neutron agent on that host',
  },
  {
    id: 'says-vsphere-fault',
    pattern:
      /\bServerFaultCode: (?<why>[^\n"]{8,300})|(?<said>Module '\w+' power on failed\b[^\n"]{0,200}|Cannot open the disk '[^']+' or one of the snapshot disks it depends on\.?|The virtual machine version is not compatible with the version of the host[^\n"]{0,80}|virtual hardware type \S+ is not supported[^\n"]{0,60})/,
    cause: (found) => `vSphere refuses it: ${word(found, 'why', 'said')}`,
    remedy:
      'Look at the task and its events in vCenter, which name the object; a file that is locked is held by another machine or a backup',
  },
  {
    id: 'says-nutanix-answer',
    pattern: /\\*"message_list\\*": ?\[\{.{0,200}?\\*"message\\*": ?\\*"(?<why>[^"\\]{8,300})/,
    cause: (found) => `Prism of Nutanix refuses it: ${word(found, 'why')}`,
    remedy: 'Look at the task in Prism, and at the names and ids that were given',
  },
  {
    // Terraform and OpenTofu: the head of the error says only of what kind it is, these words stand below it.
    id: 'says-terraform-undeclared',
    pattern:
      /\bA (?:managed|data) resource "(?<type>[\w-]+)" "(?<name>[\w-]+)" has not been declared in|\bThe argument "(?<argument>[\w-]+)" is required, but no definition was found|\bAn input variable with the name "(?<variable>[\w-]+)" has not been declared/,
    cause: (found) => {
      const argument = word(found, 'argument');
      if (argument !== undefined)
        return `The files of Terraform do not give the argument ${argument}, which is needed there`;
      const variable = word(found, 'variable');
      return `The files of Terraform name ${variable === undefined ? `${word(found, 'type')}.${word(found, 'name')}` : `the variable ${variable}`}, and nothing there declares it`;
    },
    remedy:
      'Correct it in the file and line that the error names; compare with the documentation of the version of the provider or module that is used',
  },
];
