import { readFileSync } from 'node:fs'
import { createPrograms } from '../../src/inference/engine/run-program.ts'
import { createEspeakNg } from '../../src/inference/speech/espeak-ng.ts'
import { createFlite } from '../../src/inference/speech/flite.ts'
import { parseEspeakVoices } from '../../src/inference/voices/espeak-ng.ts'
import { parseFliteVoices } from '../../src/inference/voices/flite.ts'
import { openVoiceCatalogue } from '../../src/inference/voices/voice-catalogue.ts'

const recorded = (name: string) =>
  readFileSync(new URL(`../../src/inference/voices/golden/${name}`, import.meta.url), 'utf8')

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
