// The loops of src/mirror/delta/symbol-reader.ts and symbol-writer.ts, in which nearly all their time goes. A caller makes
// an instance for each file, describes the alphabets, and then for each block puts the lengths of its codes into memory,
// sets them, and calls until the block is over. Nothing is read or written outside of the areas below, whatever is in them.
export { describeDistance, describeLiteral } from './alphabets';
export { lengths } from './codes';
export { decode, input, inputBytes, nextBit, nextWord, output, outputWords } from './decode';
export { setDistanceCodes, setLiteralCodes } from './decoding-tables';
export {
  encode,
  given,
  givenWords,
  made,
  madeBytes,
  nextGiven,
  nextMade,
  rest,
  restBits,
} from './encode';
export { setDistanceEntries, setWordCodes } from './encoding-tables';
