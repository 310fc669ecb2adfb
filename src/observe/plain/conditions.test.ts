import { expect, test } from 'vitest';
import { conditionsFolded } from './conditions.ts';

const wholes = (text: string) =>
  conditionsFolded(text.split('\n').map((line) => ({ text: line, whole: line })))
    .map(({ whole }) => whole)
    .filter((whole) => whole.startsWith('condition '));

const YAML = `status:
  conditions:
  - lastTransitionTime: "2026-11-02T10:12:01Z"
    message: the secret "depot-keys" is not
      there yet
    reason: KeysMissing
    status: "False"
    type: Available
  - lastTransitionTime: "2026-11-02T10:12:01Z"
    message: all crates are sealed
    status: "False"
    type: Degraded`;
const DESCRIBED = `  Conditions:
    Last Transition Time:  2026-11-02T10:12:01Z
    Message:               crate 7 of the depot has no lid
    Reason:                LidMissing
    Status:                True
    Type:                  Degraded
  Events:                  <none>`;
const NOT_FOUND = `    Message:               the crate set fern-4 is not to be had
    Reason:                CrateSetNotFound
    Status:                True
    Type:                  CrateSetNotFound`;
const JSON_TEXT = `{
  "type": "CrateReady",
  "status": "False",
  "message": "crate 7 of the depot has no lid"
}`;

test('conditionsFolded joins what a condition says with whether it is so', () => {
  expect(wholes(YAML)).toEqual([
    'condition Available=False (KeysMissing): the secret "depot-keys" is not there yet',
  ]);
  expect(wholes(NOT_FOUND)).toEqual([
    'condition CrateSetNotFound=True (CrateSetNotFound): the crate set fern-4 is not to be had',
  ]);
  expect(wholes(DESCRIBED)).toEqual([
    'condition Degraded=True (LidMissing): crate 7 of the depot has no lid',
  ]);
  expect(wholes(JSON_TEXT)).toEqual([
    'condition CrateReady=False: crate 7 of the depot has no lid',
  ]);
});

test.each(['ValidCrate', 'CrateImage'])(
  'conditionsFolded takes %s for ill by its kind or its reason',
  (type) => {
    const text = `"message": "crate \\"7\\" is too old",\n"reason": "InvalidCrate",\n"status": "False",\n"type": "${type}"`;

    expect(wholes(text)).toEqual([
      `condition ${type}=False (InvalidCrate): crate \\"7\\" is too old`,
    ]);
  },
);

test.each([
  ['is as it must be', 'status: "True"\ntype: Ready\nmessage: all crates are sealed'],
  ['says nothing', 'status: "False"\ntype: Ready\nmessage: waits'],
  [
    'is of a kind that is neither good nor ill',
    'status: "True"\ntype: Progressing\nmessage: seals crate 7 of 9',
  ],
  ['is none', 'type: Ready\nname: a\nmessage: crate 7 has no lid at all'],
])('conditionsFolded leaves alone what %s', (_what, text) => {
  expect(wholes(text)).toEqual([]);
});

test('conditionsFolded knows conditions that are named by what is missing', () => {
  const described = `    Message:               Crate set v7 is not there
    Reason:                CrateSetNotFound
    Status:                STATUS
    Type:                  CrateSetNotFound`;

  expect(wholes(described.replace('STATUS', 'True'))).toEqual([
    'condition CrateSetNotFound=True (CrateSetNotFound): Crate set v7 is not there',
  ]);
});

test('conditionsFolded takes what nobody knows for ill by its reason alone', () => {
  const of = (reason: string) =>
    `    Message:  lid count must be greater than 0\n    Reason:   ${reason}\n    Status:   Unknown\n    Type:     Available`;

  expect(wholes(of('InvalidLids'))).toEqual([
    'condition Available=Unknown (InvalidLids): lid count must be greater than 0',
  ]);
  expect(wholes(of('Starting'))).toEqual([]);
});

test('conditionsFolded joins a message that a terminal broke within a quote', () => {
  const text = `    Message:  Crate fern-7 is reporting: "unexpected lid: mismat
ch for \\"/srv/lid\\""
    Reason:   1 crates are reporting
    Status:   True
    Type:     CrateDegraded`;

  expect(wholes(text)).toEqual([expect.stringContaining('unexpected lid: mismat ch for')]);
});
