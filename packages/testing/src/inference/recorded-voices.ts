import { readFileSync } from 'node:fs'
import { createPrograms } from '@tollbook/inference/engine/run-program'
import { createEspeakNg } from '@tollbook/inference/speech/espeak-ng'
import { createFlite } from '@tollbook/inference/speech/flite'
import { parseEspeakVoices } from '@tollbook/inference/voices/espeak-ng'
import { parseFliteVoices } from '@tollbook/inference/voices/flite'
import { openVoiceCatalogue } from '@tollbook/inference/voices/voice-catalogue'

const recorded = (name: string) =>
  readFileSync(new URL(`../../../../apps/inference/src/voices/golden/${name}`, import.meta.url), 'utf8')

const espeak = parseEspeakVoices(recorded('espeak-ng-voices.txt'), recorded('espeak-ng-variants.txt'))
const flite = parseFliteVoices(recorded('flite-voices.txt'))
const programs = createPrograms()

/** Ports of speech with the voices that the engines listed on Debian 12, whether they are installed here or not. */
export const recordedVoices = {
  voices: await openVoiceCatalogue([
    { id: 'espeak-ng', list: async () => ({ isAvailable: true, voices: espeak }) },
    { id: 'flite', list: async () => ({ isAvailable: true, voices: flite }) },
  ]),
  speech: { engines: [createEspeakNg(programs), createFlite(programs)], names: new Map<string, string>() },
  transcription: null,
}
