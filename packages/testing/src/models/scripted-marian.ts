import { gzipSync } from 'node:zlib'

/** Types of tensors in a binary model of Marian (src/common/types.h). */
const INT8 = 0x0101
const FLOAT32 = 0x0404
const INTGEMM8 = 0x4101
/** First number of a binary shortlist (src/data/shortlist.h). */
const SHORTLIST = 0xf11a48d5013417f5n
/** Kinds of pieces (sentencepiece_model.proto). */
const NORMAL = 1
const UNKNOWN = 2
const CONTROL = 3

const SIZE = 256
/**
 * Marian adds sines of the position to the first half of a vector and cosines to the second. The first quarter of
 * each half turns fast enough to tell neighbours apart; words are in the others.
 */
const QUARTER = 64
const HALF = 128
/** Of every activation, for 8-bit numbers: they are between -6 and 6. */
const ACTIVATION_SCALE = 20
/** Zero, but with a scale. */
const NOTHING = 1e-6

type Item = {
  readonly name: string
  readonly type: number
  readonly shape: readonly number[]
  readonly bytes: Buffer
}

/** The files of a translation model as they are published. */
export type MarianFiles = { readonly model: Buffer; readonly shortlist: Buffer; readonly vocabulary: Buffer }

/**
 * A transformer of one layer that translates word by word with a dictionary: at each position, its attention is
 * on the word of the source at the same position. It runs with the settings of published models.
 * @param dictionary at most 61 words; those that begin with a space begin a word
 */
export function buildScriptedMarian(dictionary: Readonly<Record<string, string>>): MarianFiles {
  const pieces = ['</s>', '<unk>', ...new Set([' ', ...Object.entries(dictionary).flat()])]
  while (pieces.length % 8 !== 0) pieces.push(`<${pieces.length}>`)
  const translated = pieces.map((piece) => pieces.indexOf(dictionary[piece] ?? piece))
  const known = pieces.flatMap((piece, id) => (id < 3 || piece in dictionary ? id : []))
  if (known.length > QUARTER) throw new Error('the dictionary is too long')
  const isFast = (at: number) => at % HALF < QUARTER
  const outputs = Array.from(pieces, () => new Float32Array(SIZE))
  const inputs = Array.from(pieces, () => new Float32Array(SIZE))
  const biases = new Float32Array(pieces.length)
  for (const [slot, id] of known.entries()) {
    const target = translated[id] ?? 1
    inputs[id]?.fill(0.25, QUARTER + slot, QUARTER + slot + 1)
    outputs[target]?.fill(1, HALF + QUARTER + slot, HALF + QUARTER + slot + 1)
    // The cosine of a slow angle.
    biases[target] = (biases[target] ?? 0) - 1
  }
  const items = [
    yaml(pieces.length),
    floats('encoder_Wemb', [pieces.length, SIZE], joined(inputs)),
    floats('decoder_Wemb', [pieces.length, SIZE], new Float32Array(pieces.length * SIZE)),
    floats('decoder_ff_logit_out_Wt', [pieces.length, SIZE], joined(outputs)),
    alpha('decoder_ff_logit_out_Wt'),
    floats('decoder_ff_logit_out_b', [1, pieces.length], biases),
    ...['q', 'k', 'v', 'o'].flatMap((name) =>
      affine(
        `encoder_l1_self_W${name}`,
        diagonal(() => NOTHING),
      ),
    ),
    ...affine(
      'decoder_l1_context_Wq',
      diagonal((at) => (isFast(at) ? 60 : 0)),
    ),
    ...affine(
      'decoder_l1_context_Wk',
      diagonal((at) => (isFast(at) ? 1 : 0)),
    ),
    ...affine(
      'decoder_l1_context_Wv',
      diagonal((at) => (isFast(at) ? 0 : 1), HALF),
    ),
    ...affine(
      'decoder_l1_context_Wo',
      diagonal((at) => (at >= HALF + QUARTER ? 1 : 0)),
    ),
    ...affine(
      'decoder_l1_rnn_W',
      diagonal(() => NOTHING),
    ),
    ...affine(
      'decoder_l1_rnn_Wf',
      diagonal(() => NOTHING),
    ),
    ...['encoder', 'decoder'].flatMap((side) =>
      ['1', '2'].flatMap((name) =>
        affine(
          `${side}_l1_ffn_W${name}`,
          diagonal(() => NOTHING),
        ),
      ),
    ),
  ]
  return {
    model: gzipSync(toModel(items)),
    shortlist: gzipSync(toShortlist(pieces.length)),
    vocabulary: gzipSync(toVocabulary(pieces)),
  }
}

function yaml(words: number): Item {
  const text = `${JSON.stringify({
    type: 'transformer',
    'dim-vocabs': [words, words],
    'dim-emb': SIZE,
    'dim-rnn': SIZE,
    'enc-depth': 1,
    'dec-depth': 1,
    'dec-cell': 'ssru',
    'dec-cell-base-depth': 2,
    'dec-cell-high-depth': 1,
    'enc-cell': 'gru',
    'enc-cell-depth': 1,
    'enc-type': 'bidirectional',
    'input-types': [],
    'layer-normalization': false,
    'lemma-dim-emb': 0,
    'right-left': false,
    skip: false,
    'tied-embeddings': false,
    'tied-embeddings-all': false,
    'tied-embeddings-src': false,
    'transformer-aan-activation': 'swish',
    'transformer-aan-depth': 2,
    'transformer-aan-nogate': false,
    'transformer-decoder-autoreg': 'rnn',
    'transformer-dim-aan': SIZE,
    'transformer-dim-ffn': SIZE,
    'transformer-ffn-activation': 'relu',
    'transformer-ffn-depth': 2,
    'transformer-guided-alignment-layer': 'last',
    'transformer-heads': 1,
    'transformer-no-projection': false,
    'transformer-postprocess': 'da',
    'transformer-postprocess-emb': 'd',
    'transformer-preprocess': '',
    'transformer-tied-layers': [],
    'transformer-train-position-embeddings': false,
    ulr: false,
    version: 'v1.8.40',
  })}\0`
  return {
    name: 'special:model.yml',
    type: INT8,
    shape: [Buffer.byteLength(text)],
    bytes: Buffer.from(text),
  }
}

/** A weight, its bias if it has one, and the scale of what it multiplies. */
function affine(name: string, weights: Float32Array): Item[] {
  const bias = name.replace(/W(\w+)$/, 'b$1')
  return [
    integers(name, weights),
    alpha(name),
    ...(name.endsWith('_W') ? [] : [floats(bias, [1, SIZE], new Float32Array(SIZE))]),
  ]
}

function alpha(name: string): Item {
  return floats(`${name}_QuantMultA`, [1, 1], Float32Array.of(ACTIVATION_SCALE))
}

/** A square matrix that moves each dimension by `shift`. */
function diagonal(weigh: (row: number) => number, shift = 0): Float32Array {
  const matrix = new Float32Array(SIZE * SIZE)
  for (let row = 0; row + shift < SIZE; row += 1) matrix[row * SIZE + row + shift] = weigh(row)
  return matrix
}

function joined(rows: readonly Float32Array[]): Float32Array {
  return Float32Array.from(rows.flatMap((row) => [...row]))
}

function floats(name: string, shape: readonly number[], values: Float32Array): Item {
  return { name, type: FLOAT32, shape, bytes: Buffer.from(values.buffer) }
}

/** A matrix as published models have it: of 8 bits, transposed, followed by its scale. */
function integers(name: string, values: Float32Array): Item {
  const scale = 127 / values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  // In 256 bytes, as each tensor is.
  const bytes = Buffer.alloc(SIZE * SIZE + 256)
  for (const [at, value] of values.entries())
    bytes.writeInt8(Math.round(value * scale), (at % SIZE) * SIZE + Math.floor(at / SIZE))
  bytes.writeFloatLE(scale, SIZE * SIZE)
  return { name, type: INTGEMM8, shape: [SIZE, SIZE], bytes }
}

/** https://github.com/marian-nmt/marian-dev/blob/master/src/common/binary.cpp */
function toModel(items: readonly Item[]): Buffer {
  const head = Buffer.concat([
    ...[1, items.length].map(u64),
    ...items.flatMap(({ name, type, shape, bytes }) =>
      [name.length + 1, type, shape.length, bytes.length].map(u64),
    ),
    ...items.map(({ name }) => Buffer.from(`${name}\0`)),
    ...items.map(({ shape }) => Buffer.from(Int32Array.from(shape).buffer)),
  ])
  const padding = 256 - ((head.length + 8) % 256)
  return Buffer.concat([head, u64(padding), Buffer.alloc(padding), ...items.map(({ bytes }) => bytes)])
}

/** Every word may be the translation of every other. */
function toShortlist(words: number): Buffer {
  const offsets = Buffer.alloc((words + 1) * 8)
  return Buffer.concat([...[SHORTLIST, 0, words, words, words + 1, 0].map(u64), offsets])
}

/** https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto */
function toVocabulary(pieces: readonly string[]): Buffer {
  const kinds = [CONTROL, UNKNOWN]
  const toPiece = (text: string, id: number) => {
    const symbols = Buffer.from(text.replaceAll(' ', '\u2581'))
    const score = Buffer.alloc(4)
    score.writeFloatLE(-text.length / 10)
    return field(
      1,
      Buffer.concat([field(1, symbols), Buffer.of(0x15), score, varint(3, kinds[id] ?? NORMAL)]),
    )
  }
  // A unigram model; the ids of unknown words, of the start (none), the end and of padding (none).
  const training = [varint(3, 1), varint(40, 1), varint(41, -1), varint(42, 0), varint(43, -1)]
  return Buffer.concat([
    ...pieces.map(toPiece),
    field(2, Buffer.concat(training)),
    field(3, field(1, Buffer.from('identity'))),
  ])
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([toVarint(BigInt(number * 8 + 2)), toVarint(BigInt(bytes.length)), bytes])
}

function varint(number: number, value: number): Buffer {
  return Buffer.concat([toVarint(BigInt(number * 8)), toVarint(BigInt.asUintN(64, BigInt(value)))])
}

function toVarint(value: bigint): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) + 128)
  }
}

function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
