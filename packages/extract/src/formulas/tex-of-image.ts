import type { Element } from 'domhandler'

const IMAGE_CLASS = /(?:^|\s)(?:latex|tex|formula|mwe-math-fallback-image-(?:inline|display))(?:$|\s)/i
/** A command of TeX with an argument, an index or an operand. */
const TEX_COMMAND = /\\[a-z]{2,}\s*[{_^+=(\-\\]|\\(?:left|right|frac|sqrt|sum|int)\b/i
/** Parameters of services that draw formulas. */
const TEX_PARAMETERS = ['tex', 'latex']

/** TeX as the alternative text of an image, or in the address of a service that draws it. */
export function texOfImage({
  class: named = '',
  alt = '',
  src = '',
}: Element['attribs']): string | undefined {
  if (alt !== '' && (IMAGE_CLASS.test(named) || TEX_COMMAND.test(alt) || /^\s*(\${1,2}).*\1\s*$/s.test(alt)))
    return alt
  if (!/%5C[a-z]+|[?&](?:la)?tex=/i.test(src) || /^data:/i.test(src)) return undefined
  const { searchParams, search, pathname } =
    URL.parse(src, 'https://example.com/') ?? new URL('https://example.com/')
  const declared = TEX_PARAMETERS.map((name) => searchParams.get(name)).find((value) => value)
  const parameter = declared ?? [...searchParams.values()].find((value) => TEX_COMMAND.test(value))
  if (parameter) return parameter
  const source = search === '' ? (pathname.split('/').at(-1) ?? '') : search.slice(1)
  try {
    return decodeURIComponent(source)
  } catch {
    return undefined
  }
}
