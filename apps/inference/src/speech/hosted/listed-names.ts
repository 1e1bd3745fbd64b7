import * as z from 'zod'
import { bearerOf, type DialectUpstream } from './speech-of-dialect.ts'
import { askForVoices } from './speech-upstream.ts'

/** Servers of the dialect list `{"voices": ["af_sky"]}`, or objects with an id, a name or both. */
const listSchema = z.object({
  voices: z.array(
    z.union([
      z.string(),
      z
        .object({ id: z.string().optional(), name: z.string().optional() })
        .transform(({ id, name }) => id ?? name ?? ''),
    ]),
  ),
})

/** The names of the voices that `GET <url>/audio/voices` lists; the dialect itself has no such path. */
export async function listNames(
  provider: string,
  upstream: DialectUpstream,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const requested = { path: '/audio/voices', headers: bearerOf(upstream), schema: listSchema }
  const { voices } = await askForVoices(provider, upstream, requested, signal)
  return voices.filter((name) => name !== '')
}
