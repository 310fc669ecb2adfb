import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** Files and fields that are wrong, and things that are not there or there already. The vaguest of all stand last. */
export const INPUT_READINGS: readonly PlainReading[] = [
  {
    id: 'says-status-invalid',
    pattern:
      /(?:(?<kind>\w+) "(?<name>[^"]+)" is invalid: (?:\* )?)?(?<field>status(?:\.[\w-]+|\[[^\]]*\])+): (?:Invalid|Required|Unsupported) value:? ?(?<rest>.*)/,
    cause: (found) =>
      `What the cluster itself wrote into ${word(found, 'field')}${word(found, 'name') === undefined ? '' : ` of ${word(found, 'kind')} "${word(found, 'name')}"`} is not taken by the definition (CRD) that it has now${because(word(found, 'rest'))}: both are of different versions, as after going back to an older release`,
    remedy:
      'It is not the change that is refused, but the status beside it: bring the definition to the version that wrote the status, or correct the status ("oc edit --subresource=status")',
  },
  {
    id: 'says-field-invalid',
    pattern:
      /(?<field>[a-zA-Z][\w-]*(?:\.[\w-]+|\[[^\]]*\])+|[a-z]\w+): (?<kind>Invalid|Required|Unsupported|Duplicate) value(?<rest>.*)/,
    cause: (found) => {
      const { kind = '', rest = '' } = found.groups;
      return `The field ${word(found, 'field')} is ${FIELD_KINDS[kind]}${because(word({ ...found, groups: { rest: rest.replace(/^: */, '') } }, 'rest'))}`;
    },
    remedy: 'Correct this field of the configuration',
  },
  {
    id: 'says-field-of-schema',
    pattern:
      /(?<field>[a-zA-Z][\w-]*(?:\.[\w-]+|\[[^\]]*\])+) in body (?<why>(?:must be of type|should be|must be|should match|is required|is a forbidden property|should have|must have|should not|must validate).{0,160})/,
    cause: (found) =>
      `The field ${word(found, 'field')} is not as its definition in the cluster wants it: it ${word(found, 'why')}`,
    remedy:
      'Correct this field ("oc explain" shows its type), or install the version of the operator whose definition has it so',
  },
  {
    id: 'says-field-unknown',
    pattern:
      /unknown field "(?<field>[^"]+)"|(?<schema>\.[\w.[\]]+): field not declared in sc(?:hema)?\b|unknown (?:shorthand )?flag:? (?<flag>[^\s\\]+)|unknown command "(?<command>[^"]+)"|field (?<go>\w+) not found in type|but not defined: (?<option>-[\w-]+)/i,
    cause: (found) =>
      `${word(found, 'field', 'schema', 'flag', 'command', 'go', 'option')} is not known to this program or its version`,
    remedy:
      'Correct its spelling, or use the version of the program that knows it ("--help", "oc explain")',
  },
  {
    id: 'says-yaml-wrong',
    pattern:
      /(?<![.\w])yaml: (?!yaml: )(?:(?:unmarshal errors?:\s*)?line (?<line>\d+): )?(?:cannot unmarshal !!(?<got>\w+)(?: `(?<value>[^`]{1,80})`)? into (?<type>[\w.[\]*]+)|(?<why>.+?)'?$)|error (?:converting|parsing) YAML|mapping values are not allowed/i,
    cause: (found) => {
      const line = named(word(found, 'line') && `at line ${found.groups.line}`);
      const value = word(found, 'value') ?? YAML_KINDS[found.groups.got ?? ''] ?? 'a value';
      return word(found, 'type') === undefined
        ? `A file is no valid YAML${line}${because(word(found, 'why'))}`
        : `A YAML file has ${value}${line}, where the program expects another type (${word(found, 'type')}): the value is in another form, or the file is meant for another program or version`;
    },
    remedy:
      'Correct that line: indentation by spaces, quotes around values with a colon, long values on one line',
  },
  {
    id: 'says-toml-wrong',
    pattern:
      /(?:["']?(?<file>[~/][\w./-]+\w)["']?: )?(?<![.\w])toml: (?:line (?<line>\d+)\b[^:]{0,80}: )?(?<why>.{5,160})/,
    cause: (found) => {
      const line = word(found, 'line');
      return `${word(found, 'file') ?? 'A file of settings'} is no valid TOML${line === undefined ? '' : ` at line ${line}`}: ${word(found, 'why')}`;
    },
    remedy:
      'Correct that line: texts stand in double quotes, tables in [brackets], and a table that is repeated in [[double ones]]',
  },
  {
    id: 'says-json-wrong',
    pattern:
      /cannot unmarshal (?<got>\w+) into .*?(?:field (?<field>[\w.]+))?(?: of type (?<type>\S+))?$|(?:(?<![\w.:/-])(?<file>\/[\w./-]+\w)["']?(?: -|:) )?invalid character (?<char>'.*?') (?<place>.*)|(?:(?<![\w.:/-])(?<torn>\/[\w./-]+\w)["']?: )?unexpected end of JSON input|error unmarshal+ing/i,
    cause: (found) => {
      const file = word(found, 'file', 'torn');
      return file === undefined
        ? `A file or an answer is not what was expected${because(word(found, 'field', 'place'))}: it is no valid JSON, or a value has another type`
        : `${file} is no valid JSON${because(word(found, 'place') ?? 'it ends too early')}`;
    },
    remedy:
      'Look at the file, or at what the server really sends (an HTML page of a proxy or a login is a common one)',
  },
  {
    // Go templates: matchbox, Helm, oc process and many operators.
    id: 'says-template',
    pattern:
      /template: (?<name>[^\s:]*):(?<line>\d+)(?::\d+)?: (?:executing .{0,120}? at <(?<at>[^>]{1,120})>: )?(?<why>[\w"\\].{6,})/,
    cause: (found) =>
      `A template cannot be filled in (line ${word(found, 'line')}${named(word(found, 'name') && `of ${word(found, 'name')}`)}${word(found, 'at') === undefined ? '' : `, at ${word(found, 'at')}`})${because(word(found, 'why'))}`,
    remedy:
      'Give the value that it names in the form the template expects (a list where it iterates, a number, a text), or correct the template at that line',
  },
  {
    id: 'says-content-changed',
    pattern:
      /(?<!Superblock )(?:digest|checksum|sha256|hash|md5)\w*(?!.{0,60}match between \S+ and).{0,60}(?:(?<!size )mismatch|did not match|does not match|is wrong)|(?:mismatch|wrong|bad) (?:digest|checksum|hash|diff id)/i,
    cause: () => 'What arrived is not what was announced: its checksum differs',
    remedy:
      'Fetch it again; where it repeats, the source or something in between (a cache, a proxy) alters it',
  },
  {
    id: 'says-no-archive',
    pattern:
      /not in (?<gzip>gzip|bzip2|xz|qcow2) format|(?<invalid>gzip): invalid header|does not look like a (?<tar>tar) archive|(?:is )?not a (?:valid )?(?<kind>zip|gzip|bzip2|tar|qcow2) (?:file|archive|image)|(?<zip>End-of-central-directory) signature not found|(?<xz>xz): .{0,80}File format not recognized|does not appear to be a (?<gzipped>gzip)ped archive/i,
    cause: (found) =>
      `A file is not of the form that its name promises (${word(found, 'gzip', 'gzipped', 'invalid', 'tar', 'kind', 'xz') ?? 'zip'}): most often the download gave something else, such as the page of an error`,
    remedy:
      'Look at what it really is ("file NAME", "head -c 300 NAME") and at the address it was fetched from; then fetch it again',
  },
  {
    id: 'says-content-torn',
    pattern:
      /unexpected EOF|size mismatch when copying|decoder: corrupt input|invalid checksum digest|invalid tar header|gzip: invalid checksum|unexpected end of (?:file|archive)|(?:is|was) (?:corrupt(?:ed)?|truncated)/i,
    cause: () => 'A file or a transfer is cut off or damaged',
    remedy: 'Fetch it again, and compare its size and checksum with those of the source',
  },
  {
    id: 'says-data-damaged',
    pattern:
      /Was the raft log corrupted|walpb: crc mismatch|failed to find database snapshot file|snap: (?:no available|empty) snapshot|freepages: failed to get all reachable pages/i,
    cause: () =>
      'The data that etcd has on this machine are damaged or not whole, as after a loss of power or a full disk',
    remedy:
      'Where other members are well, move /var/lib/etcd/member away here and let this member be added anew; else restore a backup',
  },
  {
    id: 'says-crashed',
    pattern:
      /\bpanic(?:ked)?: (?<why>.+?)(?:, stack trace: .*)?$|SIGSEGV|segmentation fault|core dumped|nil pointer dereference/i,
    cause: (found) => {
      const why = word(found, 'why');
      // A panic with words is how many programs give up what they cannot go on without.
      const isItsOwn =
        why === undefined || /runtime error|nil pointer|out of range|invalid memory/i.test(why);
      return `The program crashed${because(why)}${isItsOwn ? ': a fault of its own' : ''}`;
    },
    remedy:
      'Look for this crash in the known issues of its version, and try the newest one of its stream',
  },
  {
    id: 'says-address-as-file',
    pattern: /\b(?:open|stat) (?<url>https?:\/\/\S+): no such file or directory/i,
    cause: (found) =>
      `The program takes ${word(found, 'url')} for a file of this machine: where it stands, no address is taken, or none that ends so`,
    remedy: 'Fetch it first and give the path, or give the address in the form the program takes',
  },
  {
    // What is to be made is never there yet.
    id: 'says-folder-missing',
    pattern:
      /\b(?:mkdir|mkdtemp|creating directory|create) ['"`]?(?<path>\/[^\s:'"`]+)['"`]?: no such file or directory/i,
    cause: (found) =>
      `${word(found, 'path')} cannot be made: the folder that it is to be in, ${word(found, 'path')?.replace(/\/[^/]*\/?$/, '') || '/'}, is not there`,
    remedy:
      'Make that folder first (mkdir -p), or mount what belongs there; in a container see that HOME and the directories of the settings exist for its user',
  },
  {
    id: 'says-file-missing',
    pattern:
      /(?:open|stat|lstat|read|exec|fork\/exec|access)\w* ['"]?(?<path>(?:[^\s:'"]|:(?=[\da-f]{2}[:.]))+)['"]?: no such file or directory|rename (?<from>\S+) \S+: no such file or directory|['"`](?<quoted>[^'"`\s]+)['"`](?: \(as uid:[^)]*\))?: No such file or directory|(?<bare>(?:\.{1,2}|~)?\/[^\s:'"]+): No such file or directory|no such file or directory: ?(?:['"]|(?=[./~]))(?<after>[^\s'"]+)|Can't open "?(?<openssl>[\w./~-]+)"? for (?:reading|writing), No such file|(?:open|CreateFile|stat|lstat|read|GetFileAttributesEx|chdir|exec)\w* ["']?(?<windows>[a-z]:[\\/][^:"']{1,200})["']?: The system cannot find|cannot find the (?:file|path) specified|ENOENT/i,
    cause: (found) =>
      `The file${named(word(found, 'path', 'from', 'windows', 'quoted', 'bare', 'after', 'openssl'))} is not there`,
    remedy: 'Correct the path, or make the file',
  },
  {
    id: 'says-usage',
    pattern:
      /accepts (?:at most |at least |between )?\d+ (?:and \d+ )?arg\(s\), received \d+|required flag\(s\) (?<flags>.+) not set/i,
    cause: (found) =>
      `The command is given other arguments than it takes${because(word(found, 'flags'))}`,
    remedy: 'Compare it with its --help, and use the version of the program that the guide is for',
  },
  {
    id: 'says-value-invalid',
    isVague: true,
    pattern:
      /\binvalid (?!argument name|argument: (?:cannot|could|no|unable|failed)\b|argument["'\])]*$)(?<what>(?:[\w-]+ ){0,2}(?:url|address|name|format|argument|reference|version|option|parameter|platform|region))\b[.:]? ?(?<why>.*)/i,
    cause: (found) =>
      `The ${word(found, 'what')} is not valid${because(firstSentence(found.groups.why))}`,
    remedy: 'Correct it; the words behind it often say what is taken',
  },
  {
    id: 'says-exists',
    isVague: true,
    pattern:
      /(?<what>(?:[\w./-]+ ){0,2}["'][^"']+["']) already exists|(?<bare>(?:[\w-]+ <?[\d.:]+>?|\S+)) (?:is |has )?already (?:exists?|in use|been taken|taken|registered)|(?<!Is)AlreadyExists(?!\): .*already exists)|EEXIST|name .{0,80}is already in use/i,
    cause: (found) =>
      `${word(found, 'what', 'bare') ?? 'It'} is there already, of an earlier run or of somebody else`,
    remedy: 'Remove what an earlier run left, or choose another name',
  },
  {
    id: 'says-object-missing',
    isVague: true,
    pattern:
      /\b(?<kind>(?:service )?(?!(?:node|pod)s?\b|endpoints "default-http-backend")[\w.-]+) "(?<name>[^"]+)" (?:was )?not found|(?:could ?n[o']t|cannot|can't|unable to|failed to) find (?:a |an |any |the )?(?!\\*"CERTIFICATE)(?<what>(?:[\w-]+ ){0,3}["'`/][\w./:@-]+["'`]?)|(?<device>(?:device|config drive|network|zone|datastore|folder|resource pool|template|interface|disk|volume|domain|bridge|storage pool|flavor|secret|plugin|runtime)s? (?:named )?[("'`]*[\w./:@-]+["'`)]*) (?:was |is )?not found|(?<place>(?:cloud|zone|region|profile|context|project) [\w.-]+) does not exist in|no (?<none>[\w.-]+ (?:file|image|channel|package|catalog|bundle|host|node|disk|device|interface|flavor|template|datastore|cluster|zone|subnet|network|build)s?) (?:was |were )?found|(?<tag>Tag \S+) was deleted or has expired|(?<image>image ["']?[\w.-]+(?::\d+)?\/\S+?)["']?:? (?:was )?not found|(?<repository>repository [\w.-]+\/\S+?) (?:was )?not found|(?<manifest>manifest(?: for \S+)?) (?:unknown|not found)|no (?<unit>(?:container|pod|volume|network) with (?:name or ID|ID or name) ["']?[\w.-]+["']?) found|unable to find (?<net>network with name or ID [\w.-]+)|no such (?<gone>(?:container|pod|volume|secret|quadlet)\b(?! or\b)(?: "?[\w./:-]+"?)?)|: resource not found/i,
    cause: (found) =>
      word(found, 'name') === undefined
        ? `There is no ${word(found, 'what', 'place', 'device', 'none', 'tag', 'image', 'repository', 'manifest', 'unit', 'net', 'gone') ?? 'thing by the name that was given'}`
        : `There is no ${singular(word(found, 'kind') ?? '')} "${word(found, 'name')}"`,
    remedy: 'Correct the name, or make it first',
  },
];

/** `deployment.apps`, as one speaks of a single one of `deployments.apps`. */
const singular = (kind: string): string =>
  kind.replace(/^([\w -]+?)(?:ies|(?<=s|x|ch)es|(?<=[a-rt-z])(?<!\bdn)s)(?=\.|$)/, (all, stem) =>
    all.endsWith('ies') ? `${stem}y` : stem,
  );

/** As far as it is words, and not the fields of a log behind them. */
const firstSentence = (text: string | undefined): string | undefined =>
  text?.replace(/" "\w+"=.*|"[},].*|"$/, '').trim() || undefined;

/** What YAML calls what it has found. */
const YAML_KINDS: Readonly<Record<string, string>> = {
  map: 'a block of fields',
  seq: 'a list',
  str: 'a text',
};

const FIELD_KINDS: Readonly<Record<string, string>> = {
  Invalid: 'not valid',
  Required: 'missing',
  Unsupported: 'not one of the values it may have',
  Duplicate: 'there twice',
};
