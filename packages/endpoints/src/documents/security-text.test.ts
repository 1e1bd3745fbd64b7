import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSecurityText } from '../pages.ts'

const STARTED = new Date('2026-11-24T10:00:00.000Z')
const textOf = (contact?: string) => {
  const service = { baseUrl: 'https://api.example', profile: { contact } } as const
  return buildSecurityText(service, STARTED)
}

test('security.txt names the contact, and expires within a year (RFC 9116)', () => {
  assert.equal(
    textOf('security@tollbook.example'),
    // 364 days after 2026-11-24: 2027 has no leap day.
    'Contact: mailto:security@tollbook.example\nExpires: 2027-11-23T10:00:00.000Z\nPreferred-Languages: en\nCanonical: https://api.example/.well-known/security.txt\n',
  )
  assert.match(textOf('https://tollbook.example/security') ?? '', /^Contact: https:\/\/tollbook\.example\//)
})

test('without a contact that the format allows there is no security.txt', () => {
  assert.equal(textOf(), null)
  assert.equal(textOf('http://tollbook.example/security'), null)
})
