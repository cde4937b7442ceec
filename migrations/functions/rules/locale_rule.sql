-- Made by bin/generate from Sources/PushModel/Locales/locale.json: what is a locale.

CREATE OR REPLACE FUNCTION push_internal.locale_rule() RETURNS json
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $rule${
  "longest": 100,
  "pattern": "(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+|en-gb-oed|sgn-(?:be-fr|be-nl|ch-de)|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)"
}$rule$::json;
COMMENT ON FUNCTION push_internal.locale_rule IS
    'The pattern of a locale in lower case, and how many characters it has at most. The worker uses the same rule.';
