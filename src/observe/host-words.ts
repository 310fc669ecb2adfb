/** A name that was taken out before the text was shown: `<registry>.azurecr.io`, `***.lab`. */
export const TAKEN_OUT = String.raw`(?:<[\w.: -]{1,40}>|\*{3,20})(?:\.[\w-]+)*`;

/** Before a colon and a number: `main.go:77` is a line of a program or a file, and no port of a host. */
export const NO_FILE = String.raw`(?<!\.(?:go|py|sh|js|ts|tf|cc?|rs|rb|lua|yaml|yml|json|java|conf|cfg))`;

/** Pages of a vendor that an error tells people to read: nobody was asked there. */
const PAGES =
  /\bhttps?:\/\/(?:(?:docs|learn|kb)\.[\w.-]+|cloud\.(?:google|ibm)\.com|aka\.ms|go\.microsoft\.com|curl\.(?:haxx\.)?se)\/(?!v2\/)\S*/g;

export const withoutPages = (text: string): string =>
  text.includes('://') ? text.replace(PAGES, ' ') : text;
