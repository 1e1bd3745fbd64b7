import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordedOf } from '@tollbook/testing/inference/hosted-speech'
import { fc } from '@tollbook/testing/property'
import { Ajv } from 'ajv'
import type { Voice } from '../../voices/voice.ts'
import { toElevenLabsRequest } from './elevenlabs.ts'
import { toGoogleRequest } from './google.ts'
import { toPollyRequest } from './polly.ts'
import { toDialectRequest } from './speech-of-dialect.ts'

// Shapes that the providers publish.
const ajv = new Ajv({ strict: false, formats: { double: true, int32: true } })
const compile = (schema: object) => ajv.compile<unknown>(schema)

type Discovery = { readonly schemas: Readonly<Record<string, { readonly properties: object }>> }
const google = recordedOf('google-shapes') as Discovery
const googleRequest = compile({
  $id: 'google',
  $ref: '#/definitions/SynthesizeSpeechRequest',
  definitions: Object.fromEntries(
    Object.entries(google.schemas).map(([id, schema]) => [
      id,
      JSON.parse(
        JSON.stringify({ ...schema, additionalProperties: false }).replaceAll(
          '"$ref":"',
          '"$ref":"#/definitions/',
        ),
      ),
    ]),
  ),
})

type Shape = {
  readonly type: string
  readonly enum?: readonly string[]
  readonly member?: string
  readonly members?: Readonly<Record<string, string>>
  readonly required?: readonly string[]
}
const polly = recordedOf('polly-shapes') as { readonly shapes: Readonly<Record<string, Shape>> }
function toSchema(name: string): object {
  const {
    type,
    member = '',
    members = {},
    required = [],
    enum: values,
  } = polly.shapes[name] ?? assert.fail(name)
  if (type === 'list') return { type: 'array', items: toSchema(member) }
  if (type !== 'structure') return { type, ...(values && { enum: values }) }
  const properties = Object.fromEntries(Object.entries(members).map(([key, of]) => [key, toSchema(of)]))
  return { type: 'object', properties, required, additionalProperties: false }
}
const pollyRequest = compile(toSchema('SynthesizeSpeechInput'))
const dialectRequest = compile(recordedOf('openai-create-speech'))

const order = fc.record({
  text: fc.string({ unit: 'binary', minLength: 1, maxLength: 3_000 }),
  speed: fc.double({ min: 0.5, max: 2, noNaN: true }),
  format: fc.constantFrom('mp3', 'wav', 'pcm'),
})
const sampleVoice = (id: string): Voice => ({
  id,
  provider: id.split('.')[0] ?? '',
  name: id,
  language: 'en-US',
  languages: ['en-US'],
  gender: null,
  model: null,
  sample_rate: 24_000,
  hosted: false,
  styles: [],
  sample_url: null,
})

test('every request has the published shape and contains the text unchanged', () => {
  fc.assert(
    fc.property(order, ({ text, speed, format }) => {
      const to = (id: string) => ({ voice: sampleVoice(id), text, speed, format })
      const toGoogle = toGoogleRequest(to('google.cmn-CN-Wavenet-A'), text)
      assert.ok(googleRequest(toGoogle), ajv.errorsText(googleRequest.errors))
      assert.deepEqual(
        [toGoogle.input, toGoogle.voice.languageCode],
        [{ text: text.toWellFormed() }, 'cmn-CN'],
      )
      const toPolly = toPollyRequest(to('polly.long-form.Danielle'))
      assert.ok(pollyRequest(toPolly), ajv.errorsText(pollyRequest.errors))
      assert.deepEqual([toPolly.Engine, toPolly.VoiceId], ['long-form', 'Danielle'])
      const toOpenAi = toDialectRequest('openai', to('openai.alloy'), 'tts-1')
      assert.ok(dialectRequest(toOpenAi), ajv.errorsText(dialectRequest.errors))
      assert.deepEqual([toOpenAi.input, toOpenAi.voice], [text.toWellFormed(), 'alloy'])
      assert.equal(toElevenLabsRequest(to('elevenlabs.x'), 'm').text, text.toWellFormed())
    }),
    { numRuns: 50 },
  )
})
