import { ICON_ATTRIBUTION, ICON_LICENCE } from '../../../../../engines/icons/icon-set.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAADJElEQVR4nMWWTUhUURTHz1XGhQ7M2MIJophsWekEbayFirroSfTGTZGIrtoJCgUKhYqBQS20dkJgDNbOGQmnQKNx0QcU+DQXrUySFs4i38TYYia9/e+bedN8z5uZ5/SD4zvvMHj/5+PedxkVgWNeusY5yYwzJyduR8gFEyiMmMoZ32aMfLu9/kXEDFFQwPEXsvPwIDJGnMkUW9QATCXGfbV1NcPbbp+KQE7yCmjwSGP4yZDxhdOBEOLTwT7/BF6ywmAZOL2y/Xc48hauC2YGSq21pj1bNTIEnJiXXNFDhsVLzToXTLVU8fYfvX4FLwlSBMQyj34zf3EdptZaLaeTK5EQEFvc1LLnQsFMXMBTIyEAAzdORGOwSjABEeMENAHaVvsTXTu60qfzrxWagAZP9xwW76eKwp4F+5YGdAF7EGBK9rYaKy10TlEoGqae5VFEcsFUCKhnDZ6rMtGBFxFTmGkZphtnOun97hdyL48gko9qNwSYV/4rJ1torvUu/Yrsa4tv7m0hmhuUf4Y5PFKAE7XivSxO1Tlopfux1oJ7n2dp9usiovmBgFVUQFqD74KVxRvpCZ071kivdz5S/+okIoZQhAAOpyzuNPXS7aabtBMOUod/kEKRMKLGKFvAZcd5Wuh6AI8w9SP0DsNXDBDQrWAIm+HnZKFrimwWK/WsjKZkJ/r9SX6qPR9tPKeHG/OIFgNbNzSEXmR4CZlu/txKESEmXky+sS2XSXwIC29DkaEXVThb35gQcb2xgyYv3tK2XMfSIH3f38UviwMCZiDA2EGULkJMvGBg9T692vkArxRwEOEvjmJJxcMGy0uyCIHY62LPl0gIX0R7XEDhNujoIgRunPX6PBRP0scofhnZJvx/WCUI4Y7oTHyOBWjDOP2vC4kOWqGgFc1wjxC2jtK74GikCKhAKxKlh6+RIkAQu5ZTgMwXEbJUUVvea7lOrBLRgHntYOu4A7YlZ66TVYBOfDCHYDZYKYRg0/rAZSOvAEG8GtOohoxXo0KwMPMh66FsWSdTUEAysWP7UGbEnZyYHaKaEQb4qhFX4SicqgPBvpc++Ib4C3YdTDYI863MAAAAAElFTkSuQmCC'

/** A request and its answer. */
export const ICON_EXAMPLE = {
  input: { icon: 'check', shape: 'circle' as const, background: '#16a34a', size: 32, padding: 0.25 },
  output: {
    icon: 'check',
    style: 'solid' as const,
    size: 32,
    width: 32,
    height: 32,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><!--! Font Awesome Free 7.3.1 by @fontawesome - https://fontawesome.com License - https://fontawesome.com/license/free (Icons: CC BY 4.0, Fonts: SIL OFL 1.1, Code: MIT License) Copyright 2026 Fonticons, Inc. Changed: size, colour, background.--><circle cx="16" cy="16" r="16" fill="#16a34a"/><g transform="translate(16 16) scale(0.03125) translate(-224.006198 -256)" fill="#ffffff"><path d="M434.8 70.1c14.3 10.4 17.5 30.4 7.1 44.7l-256 352c-5.5 7.6-14 12.3-23.4 13.1s-18.5-2.7-25.1-9.3l-128-128c-12.5-12.5-12.5-32.8 0-45.3s32.8-12.5 45.3 0l101.5 101.5 234-321.7c10.4-14.3 30.4-17.5 44.7-7.1z"/></g></svg>',
    png_base64: PNG,
    data_uri: `data:image/png;base64,${PNG}`,
    license: ICON_LICENCE,
    attribution: ICON_ATTRIBUTION,
    notice: null,
    ts: '2026-11-21T10:00:00.000Z',
  },
}
