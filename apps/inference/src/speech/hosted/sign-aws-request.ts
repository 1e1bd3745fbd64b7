import { AwsV4Signer } from 'aws4fetch'

export type AwsCredentials = {
  readonly accessKey: string
  readonly secretKey: string
  /** For temporary credentials. */
  readonly sessionToken?: string | undefined
}

export type AwsRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Additional headers to sign, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Scope = { readonly region: string; readonly service: string; readonly now: Date }

/**
 * The headers of a request signed by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), including the
 * provided ones. It is sent as every other request, not by the package that signs it.
 */
export async function signAwsRequest(
  request: AwsRequest,
  { accessKey, secretKey, sessionToken }: AwsCredentials,
  { region, service, now }: Scope,
): Promise<Readonly<Record<string, string>>> {
  const signer = new AwsV4Signer({
    ...request,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...(sessionToken !== undefined && { sessionToken }),
    region,
    service,
    datetime: now.toISOString().replace(/[-:]|\.\d+/g, ''),
    allHeaders: true,
  })
  const { headers } = await signer.sign()
  return Object.fromEntries(headers)
}
