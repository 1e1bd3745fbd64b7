import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { usernameField, withoutAt } from '../../../../listing/define-listing.ts'
import { user } from '../../../../model.ts'
import type { SocialPorts } from '../../../../ports.ts'
import { sampleUser } from '../../../../sample/sample.ts'
import { checkCapability, requireOperation } from '../../../../source/check-capability.ts'

const input = z.object({ username: usernameField })

export const userByUsername = defineEndpoint({
  id: 'users.by.username',
  method: 'GET',
  path: '/users/by/username',
  pricing: { kind: 'exact', priceUsd: '0.005' },
  summary: 'User by name',
  description:
    'Profile of a user by screen name, as in the X API v2: id, name, username, bio, follower, following and tweet counts, verification, profile image URL, creation time.',
  input,
  output: z.object({ data: user }),
  example: { input: { username: 'jun_sample' }, output: { data: sampleUser('jun_sample') } },
  limits: { bodyBytes: 1024, timeoutMs: 10_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'userByUsername'),
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const username = withoutAt(args.username)
    const found = await requireOperation(ports, 'userByUsername')(username, { signal })
    if (!found) throw new ProblemError({ code: 'not_found', detail: `No user is named ${username}.` })
    return json({ data: found })
  },
})
