const WORDS = new Set(['hint', 'details', 'cause']);
const PLAIN = new Set(['StringLiteral', 'TemplateLiteral', 'Identifier', 'MemberExpression']);

const isWord = ({ type, key, value }) =>
  type === 'ObjectProperty' && WORDS.has(key.name) && PLAIN.has(value.type);

const isWords = (node) =>
  node?.type === 'ObjectExpression' && node.properties.length > 0 && node.properties.every(isWord);

/**
 * `new AtollError(code, message, { hint: '…' })`: what is said, like the words of the message, which are not mutated
 * either. Only plain values: a hint that is computed is behaviour and stays.
 */
export const errorWords = {
  shouldIgnore(path) {
    const call = path.parent;
    const isArgument =
      call?.type === 'NewExpression' &&
      call.callee.name === 'AtollError' &&
      call.arguments[2] === path.node;
    return isArgument && isWords(path.node) ? 'words of an error' : undefined;
  },
};
