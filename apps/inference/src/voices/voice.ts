import * as z from 'zod'

/** A voice of the catalogue. */
export const voice = z.object({
  id: z.string().describe('provider.voice, or provider.voice.variant; send it to choose the voice.'),
  provider: z.string(),
  name: z.string(),
  language: z.string().describe('The main language as a BCP 47 tag.'),
  languages: z.array(z.string()).describe('All languages, the main one first.'),
  gender: z.enum(['female', 'male', 'neutral']).nullable().describe('Null if the engine does not report it.'),
  model: z.string().nullable(),
  sample_rate: z.int().describe("Samples per second of the engine's speech."),
  hosted: z.boolean().describe("Whether the voice runs on this service's machine."),
  styles: z.array(z.string()),
  sample_url: z.url().nullable(),
})

export type Voice = Readonly<z.output<typeof voice>>
export type Gender = NonNullable<Voice['gender']>

/**
 * A language tag in its canonical form (RFC 5646 section 4.5), or as the engine writes it when it is none.
 * @example toLanguageTag('en-us') // 'en-US'
 */
export function toLanguageTag(text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? text
  } catch {
    return text
  }
}
