import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signAwsRequest } from './sign-aws-request.ts'

type Suite = {
  readonly credentials: { readonly accessKey: string; readonly secretKey: string }
  readonly sessionToken: string
  readonly region: string
  readonly service: string
  readonly vectors: readonly {
    readonly name: string
    readonly method: 'GET' | 'POST'
    readonly uri: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly authorization: string
  }[]
}

const suite: Suite = JSON.parse(readFileSync(join(import.meta.dirname, 'golden/aws-sig-v4.json'), 'utf8'))
/** The date of all vectors, 20150830T123600Z. */
const now = new Date('2015-08-30T12:36:00Z')

for (const vector of suite.vectors) {
  test(`the AWS vector ${vector.name} gets the published signature`, async () => {
    const { Host: host, 'X-Amz-Date': time, 'X-Amz-Security-Token': sessionToken, ...others } = vector.headers
    const { method, uri, body, authorization } = vector
    const names = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(';') ?? []
    const headers = Object.fromEntries(
      Object.entries(others)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        // The suite sends a length that it does not sign.
        .filter(([name]) => names.includes(name)),
    )
    const signed = await signAwsRequest(
      { method, url: `https://${host}${uri}`, headers, body },
      { ...suite.credentials, sessionToken },
      { region: suite.region, service: suite.service, now },
    )
    assert.equal(signed.authorization, authorization)
    assert.equal(signed['x-amz-date'], time)
    assert.equal(signed['x-amz-security-token'], sessionToken)
  })
}
