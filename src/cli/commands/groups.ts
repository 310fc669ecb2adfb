/** What the words that only group commands mean. */
export const GROUPS: Readonly<Record<string, string>> = {
  mirror: 'Move images: sync, save, load, copy, delete',
  bundle: 'What is carried across: list, check, split, join, diff',
  list: 'What there is to mirror: releases, operators',
  release: 'Look into an OpenShift release payload',
  catalog: 'Look into an operator catalog',
  registry: 'Run and look after the embedded mirror registry',
  'registry user': 'Users of the embedded registry',
  'registry token': 'Tokens of machines that use the embedded registry',
  render: 'Print configuration files that point at the mirror',
  'render cloudformation': 'Templates of the stacks of a site on AWS',
  'render credentials': 'Credentials of operators in manual mode',
  bootstrap: 'Understand what a bootstrap machine does',
  step: 'Steps, chains and workflows',
};
