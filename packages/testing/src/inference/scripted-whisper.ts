/** How a whisper.cpp model begins (models/convert-pt-to-ggml.py writes the same). */
const MAGIC = 0x67676d6c
const STATE = 64
const MELS = 80
const BINS = 201
const AUDIO_CONTEXT = 1500
const TEXT_CONTEXT = 448
const HALF_F16 = 0x4400
const SECONDS_A_STEP = 0.02

/** Numbers of tokens in a model of English alone; where there are several languages each is one more. */
const END_OF_TEXT = 50_256
const FIRST_LANGUAGE = 50_258
const FIRST_TIME = 50_363
const TOKENS = 51_864
/** As `whisper_lang_id` counts: en 0, zh 1, de 2. */
const LANGUAGES = ['en', 'zh', 'de'] as const

export type ScriptedSpeech = {
  /** Of words, which begin with a space, and of times in seconds. */
  readonly script: readonly (string | number)[]
  /** The language that it hears; without one it knows English alone. */
  readonly language?: (typeof LANGUAGES)[number]
  /** Words that are in no script, for prompts. */
  readonly words?: readonly string[]
}

type Tensor = { readonly name: string; readonly shape: readonly number[]; readonly bytes: Uint8Array }

/**
 * A whisper model of one layer each that hears what the script says, whatever it is played: the layers add
 * nothing, and the embedding of a position points to the next token of the script, which represents itself in
 * one dimension.
 */
export function buildScriptedWhisper({ script, language, words = [] }: ScriptedSpeech): Uint8Array {
  const more = language === undefined ? 0 : 1
  const vocabulary = [
    // whisper.cpp looks for a space and fails without one.
    ...new Set([' ', ...words, ...script.filter((token) => typeof token === 'string')]),
  ]
  const idOf = (token: string | number) =>
    typeof token === 'string'
      ? vocabulary.indexOf(token)
      : FIRST_TIME + more + Math.round(token / SECONDS_A_STEP)
  const spoken = [...script.map(idOf), END_OF_TEXT + more]
  // The first answer comes at the last token of the head: start; with languages also language and task.
  const places =
    language === undefined ? spoken : [FIRST_LANGUAGE + more + LANGUAGES.indexOf(language), -1, ...spoken]
  const answers = [...new Set(places.filter((id) => id >= 0))]
  if (answers.length > STATE) throw new Error('the script has more tokens than dimensions')
  const positions = new Float32Array(STATE * TEXT_CONTEXT)
  for (let place = 0; place < TEXT_CONTEXT; place += 1) {
    const id = places[place] ?? END_OF_TEXT + more
    if (id >= 0) positions[place * STATE + answers.indexOf(id)] = 1000
  }
  const embeddings = Buffer.alloc((TOKENS + more) * STATE * 2)
  for (const [dimension, id] of answers.entries())
    embeddings.writeUInt16LE(HALF_F16, (id * STATE + dimension) * 2)
  const tensors: readonly Tensor[] = [
    floats('encoder.positional_embedding', [STATE, AUDIO_CONTEXT]),
    halves('encoder.conv1.weight', [3, MELS, STATE]),
    floats('encoder.conv1.bias', [1, STATE]),
    halves('encoder.conv2.weight', [3, STATE, STATE]),
    floats('encoder.conv2.bias', [1, STATE]),
    ...norm('encoder.ln_post'),
    ...layer('encoder.blocks.0', ['attn']),
    {
      ...floats('decoder.positional_embedding', [STATE, TEXT_CONTEXT]),
      bytes: new Uint8Array(positions.buffer),
    },
    {
      ...halves('decoder.token_embedding.weight', [STATE, 0]),
      shape: [STATE, TOKENS + more],
      bytes: embeddings,
    },
    ...norm('decoder.ln'),
    ...layer('decoder.blocks.0', ['attn', 'cross_attn']),
  ]
  const sizes = [
    TOKENS + more,
    AUDIO_CONTEXT,
    STATE,
    1,
    1,
    // The last says that matrices have 16 bits.
    TEXT_CONTEXT,
    STATE,
    1,
    1,
    MELS,
    1,
  ]
  return Buffer.concat([
    integers([MAGIC, ...sizes, MELS, BINS]),
    Buffer.alloc(MELS * BINS * 4),
    integers([vocabulary.length]),
    ...vocabulary.flatMap((word) => [integers([Buffer.byteLength(word)]), Buffer.from(word)]),
    ...tensors.flatMap(({ name, shape, bytes }) => [
      integers([shape.length, name.length, isHalf(name) ? 1 : 0, ...shape]),
      Buffer.from(name),
      bytes,
    ]),
  ])
}

function layer(name: string, attentions: readonly string[]): readonly Tensor[] {
  return [
    ...norm(`${name}.mlp_ln`),
    halves(`${name}.mlp.0.weight`, [STATE, 4 * STATE]),
    floats(`${name}.mlp.0.bias`, [4 * STATE]),
    halves(`${name}.mlp.2.weight`, [4 * STATE, STATE]),
    floats(`${name}.mlp.2.bias`, [STATE]),
    ...attentions.flatMap((attention) => [
      ...norm(`${name}.${attention}_ln`),
      halves(`${name}.${attention}.key.weight`, [STATE, STATE]),
      ...['query', 'value', 'out'].flatMap((part) => [
        halves(`${name}.${attention}.${part}.weight`, [STATE, STATE]),
        floats(`${name}.${attention}.${part}.bias`, [STATE]),
      ]),
    ]),
  ]
}

function norm(name: string): readonly Tensor[] {
  const ones = new Uint8Array(new Float32Array(STATE).fill(1).buffer)
  return [{ ...floats(`${name}.weight`, [STATE]), bytes: ones }, floats(`${name}.bias`, [STATE])]
}

function floats(name: string, shape: readonly number[]): Tensor {
  return { name, shape, bytes: new Uint8Array(4 * countOf(shape)) }
}

function halves(name: string, shape: readonly number[]): Tensor {
  return { name, shape, bytes: new Uint8Array(2 * countOf(shape)) }
}

function countOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}

/** Norms, biases and positions are whole floats. */
function isHalf(name: string): boolean {
  return name.endsWith('.weight') && !/(?:_ln|\.ln|ln_post)\.weight$/.test(name)
}

function integers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeInt32LE(value, index * 4)
  return bytes
}
