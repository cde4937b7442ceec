#!/bin/bash

__fanfare_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__fanfare_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__fanfare_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__fanfare_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_fanfare() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    demo|emulate|run|drain|enqueue|send|status|eta|top|messages|doubt|hub|rescue|purge|migrate|config|installation|doctor|bench|healthcheck|tags|template|sas|help)
        # Offer subcommand argument completions
        "_fanfare_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'demo emulate run drain enqueue send status eta top messages doubt hub rescue purge migrate config installation doctor bench healthcheck tags template sas help' -- "${cur}"))
        ;;
    esac
}

_fanfare_demo() {
    repeating_flags=()
    non_repeating_flags=(--keep --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--messages --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--messages')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    run|inbox|wait|clear|journal|fault|device)
        # Offer subcommand argument completions
        "_fanfare_emulate_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'run inbox wait clear journal fault device' -- "${cur}"))
        ;;
    esac
}

_fanfare_emulate_run() {
    repeating_flags=()
    non_repeating_flags=(--quiet --allow-plain-http --version -h --help)
    repeating_options=(--hub --policy --tls-name --set)
    non_repeating_options=(--listen --tier --devices --state --seed-devices --tls-port --ca-file --faults --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--listen')
        return
        ;;
    '--hub')
        return
        ;;
    '--tier')
        __fanfare_add_completions -W 'standard'$'\n''basic'$'\n''free'
        return
        ;;
    '--devices')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--state')
        __fanfare_add_completions -f
        return
        ;;
    '--seed-devices')
        return
        ;;
    '--policy')
        return
        ;;
    '--tls-port')
        return
        ;;
    '--tls-name')
        return
        ;;
    '--ca-file')
        return
        ;;
    '--faults')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_inbox() {
    repeating_flags=()
    non_repeating_flags=(--follow --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--tag --text --limit --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--tag')
        return
        ;;
    '--text')
        return
        ;;
    '--limit')
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_wait() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--device --handle --tag --text --count --since --timeout --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--device')
        return
        ;;
    '--handle')
        return
        ;;
    '--tag')
        return
        ;;
    '--text')
        return
        ;;
    '--count')
        return
        ;;
    '--since')
        return
        ;;
    '--timeout')
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_clear() {
    repeating_flags=()
    non_repeating_flags=(--journal --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_journal() {
    repeating_flags=()
    non_repeating_flags=(--check-tracking --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--since --limit --check --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--since')
        return
        ;;
    '--limit')
        return
        ;;
    '--check')
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_fault() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    add|list|clear)
        # Offer subcommand argument completions
        "_fanfare_emulate_fault_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'add list clear' -- "${cur}"))
        ;;
    esac
}

_fanfare_emulate_fault_add() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--file --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--file')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_fault_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_fault_clear() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_device() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    add|list|remove)
        # Offer subcommand argument completions
        "_fanfare_emulate_device_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'add list remove' -- "${cur}"))
        ;;
    esac
}

_fanfare_emulate_device_add() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--tag --shows --template --set)
    non_repeating_options=(--platform --handle --user --file --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--platform')
        __fanfare_add_completions -W 'apns'$'\n''wns'$'\n''mpns'$'\n''adm'$'\n''gcm'$'\n''baidu'$'\n''browser'$'\n''fcmV1'$'\n''xiaomi'
        return
        ;;
    '--handle')
        return
        ;;
    '--user')
        return
        ;;
    '--tag')
        return
        ;;
    '--shows')
        return
        ;;
    '--template')
        return
        ;;
    '--file')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_device_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--tag --text --limit --at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--tag')
        return
        ;;
    '--text')
        return
        ;;
    '--limit')
        return
        ;;
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_emulate_device_remove() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at --hub --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_run() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_drain() {
    repeating_flags=()
    non_repeating_flags=(--json --progress --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format --max-runtime --lock)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    '--max-runtime')
        return
        ;;
    '--lock')
        return
        ;;
    esac
}

_fanfare_enqueue() {
    repeating_flags=()
    non_repeating_flags=(--broadcast --no-pack --dry-run --json --version -h --help)
    repeating_options=(--handle --property --translation --header --set)
    non_repeating_options=(--file --hub --tag --tags-expr --content --locale --format --content-key --dedupe-key --at --expires-at --priority --on-doubt --campaign --run --tenant --traceparent --meta --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--file')
        __fanfare_add_completions -f
        return
        ;;
    '--hub')
        return
        ;;
    '--tag'|'--tags-expr')
        return
        ;;
    '--handle')
        return
        ;;
    '--content')
        return
        ;;
    '--property')
        return
        ;;
    '--locale')
        return
        ;;
    '--translation')
        return
        ;;
    '--format')
        __fanfare_add_completions -W 'template'$'\n''apple'$'\n''fcmv1'$'\n''windows'$'\n''adm'$'\n''baidu'$'\n''browser'$'\n''xiaomi'
        return
        ;;
    '--header')
        return
        ;;
    '--content-key')
        return
        ;;
    '--dedupe-key')
        return
        ;;
    '--at')
        return
        ;;
    '--expires-at')
        return
        ;;
    '--priority')
        __fanfare_add_completions -W 'urgent'$'\n''normal'$'\n''bulk'
        return
        ;;
    '--on-doubt')
        __fanfare_add_completions -W 'hold'$'\n''resend'
        return
        ;;
    '--campaign')
        return
        ;;
    '--run')
        return
        ;;
    '--tenant')
        return
        ;;
    '--traceparent')
        return
        ;;
    '--meta')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_send() {
    repeating_flags=()
    non_repeating_flags=(--broadcast --test --dry-run --yes --json --version -h --help)
    repeating_options=(--handle --property --translation --header --set)
    non_repeating_options=(--hub --tag --tags-expr --content --locale --format --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--tag'|'--tags-expr')
        return
        ;;
    '--handle')
        return
        ;;
    '--content')
        return
        ;;
    '--property')
        return
        ;;
    '--locale')
        return
        ;;
    '--translation')
        return
        ;;
    '--format')
        __fanfare_add_completions -W 'template'$'\n''apple'$'\n''fcmv1'$'\n''windows'$'\n''adm'$'\n''baidu'$'\n''browser'$'\n''xiaomi'
        return
        ;;
    '--header')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_status() {
    repeating_flags=()
    non_repeating_flags=(--watch --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_eta() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --campaign --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--campaign')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_top() {
    repeating_flags=()
    non_repeating_flags=(--once --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--interval --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--interval')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_messages() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|list|cancel|retry)
        # Offer subcommand argument completions
        "_fanfare_messages_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show list cancel retry' -- "${cur}"))
        ;;
    esac
}

_fanfare_messages_show() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_messages_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --status --campaign --limit --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--status')
        __fanfare_add_completions -W 'scheduled'$'\n''due'$'\n''claimed'$'\n''posting'$'\n''retrying'$'\n''accepted'$'\n''rejected'$'\n''expired'$'\n''cancelled'$'\n''duplicate'$'\n''in_doubt'
        return
        ;;
    '--campaign')
        return
        ;;
    '--limit')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_messages_cancel() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--campaign --run --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--campaign')
        return
        ;;
    '--run')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_messages_retry() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --reason --since --until --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--reason')
        __fanfare_add_completions -W 'taken_by_hub'$'\n''bad_request'$'\n''too_large'$'\n''not_sendable'$'\n''no_fallback'$'\n''late_translation'$'\n''target_gone'$'\n''target_invalid'$'\n''attempts_exhausted'$'\n''expired'$'\n''cancelled_by_caller'$'\n''duplicate_key'$'\n''answer_lost'$'\n''worker_lost'$'\n''throttled'$'\n''unavailable'$'\n''not_sent'$'\n''auth_refused'$'\n''resent'$'\n''hub_closed'$'\n''released'$'\n''resolved'
        return
        ;;
    '--since')
        return
        ;;
    '--until')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_doubt() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|resolve)
        # Offer subcommand argument completions
        "_fanfare_doubt_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list resolve' -- "${cur}"))
        ;;
    esac
}

_fanfare_doubt_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --limit --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--limit')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_doubt_resolve() {
    repeating_flags=()
    non_repeating_flags=(--all --yes --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--as --hub --reason --since --until --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--as')
        __fanfare_add_completions -W 'accepted'$'\n''rejected'$'\n''resend'
        return
        ;;
    '--hub')
        return
        ;;
    '--reason')
        __fanfare_add_completions -W 'taken_by_hub'$'\n''bad_request'$'\n''too_large'$'\n''not_sendable'$'\n''no_fallback'$'\n''late_translation'$'\n''target_gone'$'\n''target_invalid'$'\n''attempts_exhausted'$'\n''expired'$'\n''cancelled_by_caller'$'\n''duplicate_key'$'\n''answer_lost'$'\n''worker_lost'$'\n''throttled'$'\n''unavailable'$'\n''not_sent'$'\n''auth_refused'$'\n''resent'$'\n''hub_closed'$'\n''released'$'\n''resolved'
        return
        ;;
    '--since')
        return
        ;;
    '--until')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|show|add|pause|resume|open-gate|set-rate|rotate)
        # Offer subcommand argument completions
        "_fanfare_hub_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list show add pause resume open-gate set-rate rotate' -- "${cur}"))
        ;;
    esac
}

_fanfare_hub_list() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_show() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_add() {
    repeating_flags=()
    non_repeating_flags=(--allow-broadcast --version -h --help)
    repeating_options=(--language --set)
    non_repeating_options=(--hub --localization --fallback --on-doubt --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--localization')
        __fanfare_add_completions -W 'properties'$'\n''tags'
        return
        ;;
    '--language')
        return
        ;;
    '--fallback')
        return
        ;;
    '--on-doubt')
        __fanfare_add_completions -W 'hold'$'\n''resend'
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_pause() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_resume() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_open-gate() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_set-rate() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_hub_rotate() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_rescue() {
    repeating_flags=()
    non_repeating_flags=(--force --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_purge() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--older-than --keep-audit --batch --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--older-than')
        return
        ;;
    '--keep-audit')
        return
        ;;
    '--batch')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_migrate() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    up|status|print|verify|reference)
        # Offer subcommand argument completions
        "_fanfare_migrate_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'up status print verify reference' -- "${cur}"))
        ;;
    esac
}

_fanfare_migrate_up() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_migrate_status() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_migrate_print() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_migrate_verify() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_migrate_reference() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_config() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    check|print|schema|reference)
        # Offer subcommand argument completions
        "_fanfare_config_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'check print schema reference' -- "${cur}"))
        ;;
    esac
}

_fanfare_config_check() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_config_print() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_config_schema() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_config_reference() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_installation() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    get|put|patch|delete|import|export)
        # Offer subcommand argument completions
        "_fanfare_installation_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'get put patch delete import export' -- "${cur}"))
        ;;
    esac
}

_fanfare_installation_get() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_installation_put() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--tag --template --set)
    non_repeating_options=(--file --id --platform --handle --user --expires --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--file')
        __fanfare_add_completions -f
        return
        ;;
    '--id')
        return
        ;;
    '--platform')
        return
        ;;
    '--handle')
        return
        ;;
    '--user')
        return
        ;;
    '--tag')
        return
        ;;
    '--template')
        return
        ;;
    '--expires')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_installation_patch() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--add-tag --remove-tag --set)
    non_repeating_options=(--operations --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--add-tag')
        return
        ;;
    '--remove-tag')
        return
        ;;
    '--operations')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_installation_delete() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--hub --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_installation_import() {
    repeating_flags=()
    non_repeating_flags=(--dry-run --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at-once --hub --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--at-once')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __fanfare_add_completions -f
        return
        ;;
    esac
}

_fanfare_installation_export() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--ids --output --at-once --hub --config --log-level --log-format)
    __fanfare_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--ids')
        __fanfare_add_completions -f
        return
        ;;
    '--output')
        __fanfare_add_completions -f
        return
        ;;
    '--at-once')
        return
        ;;
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_doctor() {
    repeating_flags=()
    non_repeating_flags=(--deep --offline --json --version -h --help)
    repeating_options=(--hub --set)
    non_repeating_options=(--config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--hub')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_bench() {
    repeating_flags=()
    non_repeating_flags=(--private --yes --json --version -h --help)
    repeating_options=(--property --set)
    non_repeating_options=(--messages --window --hub --tag --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--messages')
        return
        ;;
    '--window')
        return
        ;;
    '--hub')
        return
        ;;
    '--tag')
        return
        ;;
    '--property')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_healthcheck() {
    repeating_flags=()
    non_repeating_flags=(--live --json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--at --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--at')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_tags() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    check)
        # Offer subcommand argument completions
        "_fanfare_tags_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'check' -- "${cur}"))
        ;;
    esac
}

_fanfare_tags_check() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--against --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--against')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_template() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    render)
        # Offer subcommand argument completions
        "_fanfare_template_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'render' -- "${cur}"))
        ;;
    esac
}

_fanfare_template_render() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--template --properties --config --log-level --log-format)
    __fanfare_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--template')
        __fanfare_add_completions -f
        return
        ;;
    '--properties')
        __fanfare_add_completions -f
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_sas() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--set)
    non_repeating_options=(--expiry --config --log-level --log-format)
    __fanfare_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--expiry')
        return
        ;;
    '--config')
        __fanfare_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--log-level')
        __fanfare_add_completions -W 'trace'$'\n''debug'$'\n''info'$'\n''notice'$'\n''warning'$'\n''error'$'\n''critical'
        return
        ;;
    '--log-format')
        __fanfare_add_completions -W 'auto'$'\n''text'$'\n''json'
        return
        ;;
    '--set')
        return
        ;;
    esac
}

_fanfare_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __fanfare_offer_flags_options -1
}

complete -o filenames -F _fanfare fanfare
