import { parseColour } from '@tollbook/a11y/colour/parse-colour'
import { findImageKind } from '@tollbook/flow/image-kind'
import type { Issue } from '@tollbook/http/problem'
import { decodedBytes, decodeHead, isBase64 } from '@tollbook/vectorize/decode/base64-image'
import type { Rgb } from '@tollbook/vectorize/image'

/** Specification 4.7: an image has at most 10 MB; binary megabytes, so that both readings are allowed. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024

export type ImageInput = {
  readonly url?: string | undefined
  readonly image_base64?: string | undefined
}

/** Issues of well-formed arguments: no image or two, an unsupported image, and invalid colours. */
export function findInputIssues({
  url,
  image_base64,
  palette,
}: ImageInput & { readonly palette?: readonly string[] | undefined }): readonly Issue[] {
  return [...findSourceIssues(url, image_base64), ...findPaletteIssues(palette ?? [])]
}

function findSourceIssues(url: string | undefined, base64: string | undefined): readonly Issue[] {
  if (url === undefined && base64 === undefined)
    return [{ parameter: 'url', detail: 'is missing: send url or image_base64' }]
  if (base64 === undefined) return []
  const parameter = 'image_base64'
  if (url !== undefined) return [{ parameter, detail: 'is mutually exclusive with url: send only one' }]
  if (!isBase64(base64)) return [{ parameter, detail: 'is neither base64 nor a data: URI in base64' }]
  if (decodedBytes(base64) > MAX_IMAGE_BYTES)
    return [{ parameter, detail: `has more than ${MAX_IMAGE_BYTES} bytes`, code: 'too_large' }]
  if (!findImageKind(decodeHead(base64)))
    return [
      {
        parameter,
        detail: 'has an unsupported image type (expected PNG, JPEG, GIF, BMP or WebP)',
        code: 'unsupported_media_type',
      },
    ]
  return []
}

function findPaletteIssues(palette: readonly string[]): readonly Issue[] {
  return palette.flatMap((text, at) => {
    const colour = parseColour(text)
    const parameter = `palette.${at}`
    if (!colour)
      return [{ parameter, detail: `${JSON.stringify(text)} is not a colour (expected #rgb or #rrggbb)` }]
    return colour.alpha < 1 ? [{ parameter, detail: `${JSON.stringify(text)} is not opaque` }] : []
  })
}

/** @param palette validated by `findInputIssues` */
export function readPalette(palette: readonly string[]): Rgb[] {
  return palette.map((text): Rgb => {
    const colour = parseColour(text)
    if (!colour) throw new TypeError(`unreachable: the colour passed validation but cannot be read: ${text}`)
    return [Math.round(colour.red), Math.round(colour.green), Math.round(colour.blue)]
  })
}
