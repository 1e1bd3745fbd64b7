import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  FRAME,
  HOSTED,
  type Hosted,
  listOf,
  openHosted,
  PCM,
  SPEECH_KEY,
  sampleOf,
  startHosted,
  WAV,
} from '@tollbook/testing/inference/hosted-speech'
import { startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { signAwsRequest } from './sign-aws-request.ts'

const signal = new AbortController().signal

async function open(...[name, format]: Parameters<typeof startHosted>) {
  const opened = await startHosted(name, format)
  after(opened.upstream.close)
  return opened
}

for (const name of HOSTED)
  for (const format of ['mp3', 'wav', 'pcm'] as const)
    test(`${name} returns ${format}, or a lossless source for it`, async () => {
      const { upstream, engine, voices } = await open(name, format)
      const [voice] = voices
      assert.ok(voice)
      const spoken = await engine.speak({ voice, text: 'Hello', speed: 1, format }, signal)
      const wanted = name === 'piper' ? 'wav' : format === 'mp3' ? 'mp3' : spoken.kind
      assert.equal(spoken.kind, wanted)
      assert.deepEqual(new Uint8Array(spoken.bytes), { mp3: FRAME, wav: WAV, pcm: PCM }[spoken.kind])
      const sent = upstream.asked.at(-1)
      assert.equal(sent?.method, 'POST')
      const said = `${sent?.path} ${JSON.stringify(sent?.headers)} ${sent?.body}`
      // The requested format name, from the provider's own documentation.
      const names = {
        azure: {
          mp3: 'audio-24khz-96kbitrate-mono-mp3',
          wav: 'riff-24khz-16bit-mono-pcm',
          pcm: 'raw-24khz-16bit-mono-pcm',
        },
        google: { mp3: '"audioEncoding":"MP3"', wav: '"LINEAR16"', pcm: '"LINEAR16"' },
        polly: { mp3: '"OutputFormat":"mp3"', wav: '"SampleRate":"16000"', pcm: '"OutputFormat":"pcm"' },
        elevenlabs: { mp3: 'output_format=mp3_44100_128', wav: 'pcm_24000', pcm: 'pcm_24000' },
        openai: { mp3: '"response_format":"mp3"', wav: '"wav"', pcm: '"pcm"' },
        kokoro: { mp3: '"response_format":"mp3"', wav: '"wav"', pcm: '"pcm"' },
        piper: { mp3: '/synthesize', wav: '/synthesize', pcm: '/synthesize' },
      }[name]
      assert.ok(said.includes(names[format]), said)
    })

test('each provider receives its key where it documents it, and nowhere else', async () => {
  const headerOf: Record<Hosted, string | null> = {
    azure: 'ocp-apim-subscription-key',
    google: 'x-goog-api-key',
    elevenlabs: 'xi-api-key',
    openai: 'authorization',
    kokoro: 'authorization',
    polly: null,
    piper: null,
  }
  for (const name of HOSTED) {
    const { upstream, engine, voices } = await open(name)
    const [voice] = voices
    assert.ok(voice)
    await engine.speak({ voice, text: 'Hello', speed: 1, format: 'mp3' }, signal)
    const header = headerOf[name]
    for (const { headers, path, body } of upstream.asked) {
      if (header) {
        const { [header]: key, ...others } = headers
        assert.equal(key, header === 'authorization' ? `Bearer ${SPEECH_KEY}` : SPEECH_KEY)
        assert.ok(!JSON.stringify([others, path, body]).includes(SPEECH_KEY))
      } else assert.ok(!JSON.stringify([headers, path, body]).includes(SPEECH_KEY))
    }
  }
})

test('a request to Polly is signed over its body as sent', async () => {
  const { upstream, engine, voices } = await open('polly')
  const [voice] = voices
  assert.ok(voice)
  await engine.speak({ voice, text: 'Hello', speed: 1, format: 'mp3' }, signal)
  const { path = '', body = '', headers } = upstream.asked.at(-1) ?? {}
  const again = await signAwsRequest(
    {
      method: 'POST',
      url: `http://${headers?.host}${path}`,
      headers: { 'content-type': `${headers?.['content-type']}` },
      body,
    },
    { accessKey: 'AKIDEXAMPLE', secretKey: SPEECH_KEY },
    { region: 'eu-west-1', service: 'polly', now: new Date('2015-08-30T12:36:00Z') },
  )
  assert.equal(headers?.authorization, again.authorization)
  assert.match(
    `${headers?.authorization}`,
    /Credential=AKIDEXAMPLE\/20150830\/eu-west-1\/polly\/aws4_request, /,
  )
})

test('a text of more bytes than Google accepts is sent in pieces, whose sounds are joined', async () => {
  const { upstream, engine, voices } = await open('google', 'wav')
  const [voice] = voices
  assert.ok(voice)
  // 3,000 letters of two bytes each are 6,000 bytes: two requests of at most 5,000.
  const text = 'привет. '.repeat(400).slice(0, 3_000)
  const spoken = await engine.speak({ voice, text, speed: 1, format: 'mp3' }, signal)
  const said = upstream.asked.slice(1).map(({ body }) => JSON.parse(body))
  assert.equal(said.length, 2)
  assert.equal(said.map(({ input }) => input.text).join(''), text)
  for (const { input, audioConfig } of said) {
    assert.ok(Buffer.byteLength(input.text) <= 5_000)
    assert.equal(audioConfig.audioEncoding, 'LINEAR16')
  }
  assert.deepEqual([spoken.kind, spoken.bytes.length], ['pcm', 2 * PCM.length])
})

test("Piper speaks at its voice's pace, times the speed; older servers use another path", async () => {
  const upstream = await startSpeechUpstream((request) =>
    request.path === '/synthesize'
      ? { status: 404, body: 'Not Found' }
      : (listOf('piper', request) ?? sampleOf('piper', 'wav')),
  )
  after(upstream.close)
  const { source, engine } = openHosted('piper', upstream.url)
  const listing = await source.list(signal)
  assert.ok(listing.isAvailable)
  const say = async (id: string, speed: number) => {
    const voice = listing.voices.find((one) => one.id === id) ?? assert.fail(id)
    await engine.speak({ voice, text: 'Hello', speed, format: 'mp3' }, signal)
    return JSON.parse(upstream.asked.at(-1)?.body ?? '')
  }
  // Its own length scale is 1.2: half of it is twice as fast.
  assert.deepEqual(await say('piper.en_US-lessac-medium', 2), {
    text: 'Hello',
    voice: 'en_US-lessac-medium',
    length_scale: 0.6,
  })
  assert.deepEqual(await say('piper.en_GB-semaine-medium.spike', 1), {
    text: 'Hello',
    voice: 'en_GB-semaine-medium',
    speaker_id: 1,
  })
  assert.deepEqual(
    upstream.asked.slice(1).map(({ path }) => path),
    ['/synthesize', '/', '/'],
  )
})
