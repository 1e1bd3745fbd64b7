import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { verifyAddress } from '../../../../email/verify-address.ts'
import { DIAGNOSES, type Diagnosis } from '../../../../engines/email/diagnosis.ts'
import type { UtilityPorts } from '../../../../ports.ts'

const input = z.object({
  email: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .describe('The address, without a display name. In a URL, write + as %2B.'),
})

const output = z.object({
  email: z.string(),
  normalized: z
    .string()
    .nullable()
    .describe('One form for all spellings of a mailbox, by the rules of its provider; without the tag.'),
  local: z.string().nullable(),
  domain: z.string().nullable(),
  ascii_domain: z.string().nullable(),
  syntax: z.object({
    valid: z.boolean().describe('Whether SMTP can deliver to such an address (RFC 5321, RFC 6531).'),
    category: z.enum(['valid', 'rfc5321', 'rfc6531', 'cfws', 'deprecated', 'rfc5322', 'error']),
    diagnosis: z.enum(Object.keys(DIAGNOSES) as [Diagnosis]),
    message: z.string().nullable(),
  }),
  mx: z.object({
    found: z.boolean(),
    records: z.array(z.object({ priority: z.int(), exchange: z.string() })),
    implicit: z
      .boolean()
      .describe('Without an MX record, the domain itself receives mail (RFC 5321 section 5.1).'),
    null_mx: z.boolean().describe('The domain accepts no mail (RFC 7505).'),
  }),
  disposable: z.boolean(),
  role: z.boolean().describe('The local part is a role, such as info or sales.'),
  free_provider: z.boolean(),
  plus_tag: z.string().nullable(),
  did_you_mean: z.string().nullable(),
  verdict: z
    .enum(['risky', 'undeliverable', 'unknown'])
    .describe('unknown: the domain receives mail; the mailbox was not asked.'),
  reasons: z.array(z.string()),
  score: z.int().min(0).max(100),
  smtp_checked: z.boolean().describe('Always false: no mail server is contacted.'),
  catch_all: z.boolean().nullable().describe('Always null.'),
  ts: z.iso.datetime(),
})

type Input = z.output<typeof input>

export const verify = defineEndpoint({
  id: 'email-verify',
  method: 'GET',
  path: '/api/email/verify',
  pricing: { kind: 'exact', priceUsd: '0.002' },
  summary: 'Verify an e-mail address',
  description:
    'Syntax (RFC 5321, 5322, 6531), mail servers with implicit and null MX, disposable domains, role accounts, free providers, tags, likely typos, and a verdict: undeliverable, risky or unknown.',
  input,
  output,
  example: {
    input: { email: 'Jane.Doe+news@GoogleMail.com' },
    output: {
      email: 'Jane.Doe+news@GoogleMail.com',
      normalized: 'janedoe@gmail.com',
      local: 'Jane.Doe+news',
      domain: 'GoogleMail.com',
      ascii_domain: 'googlemail.com',
      syntax: { valid: true, category: 'valid', diagnosis: 'valid', message: null },
      mx: {
        found: true,
        records: [{ priority: 5, exchange: 'gmail-smtp-in.l.google.com' }],
        implicit: false,
        null_mx: false,
      },
      disposable: false,
      role: false,
      free_provider: true,
      plus_tag: 'news',
      did_you_mean: null,
      verdict: 'unknown',
      reasons: ['mx_found', 'mailbox_unchecked'],
      score: 60,
      smtp_checked: false,
      catch_all: null,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: 10_000 },
  async handle({ input: { email }, ports, now }: Call<Input, UtilityPorts, Address>) {
    const { parsed, route, ...found } = await verifyAddress(email, ports.dns)
    // The failure is ours, not the domain's.
    if (route?.failure === 'timeout' || route?.failure === 'refused') {
      const detail = 'The DNS servers did not answer for the domain of this address.'
      throw new ProblemError({ code: 'upstream_failed', detail, retryAfterSeconds: 5 })
    }
    const { diagnosis, category, message, isMailbox, local, domain } = parsed
    return json({
      email,
      normalized: found.normalized,
      local: local?.text ?? null,
      domain: domain?.text ?? null,
      ascii_domain: domain?.ascii ?? null,
      syntax: { valid: isMailbox, category, diagnosis, message: diagnosis === 'valid' ? null : message },
      mx: {
        found: route !== null && route.records.length > 0 && !route.isImplicit,
        records: [...(route?.records ?? [])],
        implicit: route?.isImplicit ?? false,
        null_mx: route?.isRefused ?? false,
      },
      disposable: found.isDisposable,
      role: found.isRole,
      free_provider: found.isFree,
      plus_tag: found.tag,
      did_you_mean: found.suggestion,
      verdict: found.verdict,
      reasons: [...found.reasons],
      score: found.score,
      smtp_checked: false,
      catch_all: null,
      ts: now.toISOString(),
    })
  },
})
