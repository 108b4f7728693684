"""What a run survives and refuses: each fault, each attack, and the tests that bring it about.

Row 18 at its full size is `python -m benchmarks offline`.
"""

import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
FAULTS = {
    "1 SIGKILL at random moments, during reports too": (
        "e2e/test_interrupts.py::test_kills_at_random_moments_lose_and_repeat_nothing",
        (
            "e2e/test_interrupts.py::"
            "test_kills_while_reports_are_written_leave_whole_reports_and_the_same_figures"
        ),
        "store/test_faults.py::test_sixty_kills_lose_nothing_that_was_acknowledged",
    ),
    "2 Ctrl-C once and twice": (
        "e2e/test_interrupts.py::test_ctrl_c_ends_what_is_in_flight_saves_it_and_says_how_to_go_on",
        "e2e/test_interrupts.py::test_ctrl_c_twice_leaves_at_once_and_loses_nothing",
    ),
    "3 429 with a time to wait": (
        "llm/test_caller.py::test_the_next_attempt_is_never_earlier_than_told",
        "llm/test_caller.py::test_a_wait_that_is_too_long_fails_within_the_deadline",
        "llm/test_retry.py::test_no_attempt_comes_earlier_than_the_endpoint_asked",
    ),
    "4 no quota, 401, 403": (
        "llm/test_caller.py::test_a_refused_account_stops_the_run_after_one_attempt",
        "e2e/test_rejected.py::test_a_wrong_key_costs_one_call",
    ),
    "5 500, 502, 503 for a minute": ("llm/test_retry.py::test_a_minute_of_503_is_survived",),
    "6 reset, hang, a drip of bytes": (
        "llm/test_transport.py::test_neither_silence_nor_a_drip_of_bytes_outlasts_the_attempt",
        "llm/test_transport.py::test_broken_attempts_leave_no_open_files",
        "targets/http/test_failures.py::test_faults_of_a_bot_leave_no_file_open",
    ),
    "7 malformed, truncated, empty, HTML, an error in a 200": (
        "llm/test_transport.py::test_each_fault_is_a_value_and_the_next_call_is_served",
        "llm/test_replies.py::test_a_200_that_is_no_completion_is_malformed_and_kept",
        "llm/test_replies.py::test_an_error_in_a_200_is_taken_by_its_code",
    ),
    "8 empty, refused, filtered, too long": (
        "llm/test_replies.py::test_each_end_of_a_completion_is_an_outcome_of_its_own",
    ),
    "9 wrong schema, code fence, NaN, 7 of 5": (
        "llm/test_structured.py::test_what_does_not_fit_is_refused_with_its_reason",
        "llm/test_structured.py::test_nan_is_no_number_in_a_float_field_either",
    ),
    "10 half characters, NUL, marks nobody sees, 1 MB": (
        "targets/contract.py::test_an_answer_of_a_megabyte_is_kept_whole_and_cut_where_it_is_used",
        "targets/contract.py::test_what_breaks_stores_and_screens_is_cleaned",
        "metrics/judge/test_evidence.py::test_a_long_answer_is_cut_in_its_middle_and_says_so",
    ),
    "11 a bot that raises, hangs, blocks, exits, returns nothing, kills its process": (
        "targets/contract.py::test_its_worst_is_a_failure_of_this_turn",
        "targets/contract.py::test_one_that_hangs_is_a_timeout_and_the_others_go_on",
        "targets/contract.py::test_one_that_blocks_fails_alone",
        "e2e/test_bots_that_fail.py::test_a_bot_that_kills_its_process_fails_one_conversation",
        "targets/test_breaker.py::test_ten_failures_in_a_row_from_five_scenarios_end_the_run",
    ),
    "12 a full disk, a read-only folder, a locked database": (
        "e2e/test_bad_ends.py::test_a_full_disk_stops_the_run_and_keeps_what_it_has",
        "e2e/test_bad_ends.py::test_a_writer_that_dies_stops_the_run_and_keeps_what_it_has",
        "e2e/test_bad_ends.py::test_a_store_that_is_taken_away_stops_the_run",
        "e2e/test_bad_ends.py::test_a_read_only_working_directory",
        "e2e/test_read_only.py::test_a_finished_store_is_read_where_nothing_can_be_written",
        "store/test_writer_faults.py::test_a_locked_database_is_told",
        (
            "store/test_writer_faults.py::"
            "test_whatever_ends_the_thread_is_told_to_all_who_wait_and_to_all_who_come"
        ),
    ),
    "13 two processes on one run, a stale lock": (
        "store/test_lock.py::test_the_second_process_on_a_run_is_refused_and_told_who_holds_it",
        "store/test_lock.py::test_the_lock_of_a_killed_process_is_free",
    ),
    "14 a resume with something else": (
        "e2e/test_resume.py::test_a_changed_config_is_refused_with_the_difference",
        "e2e/test_resume.py::test_a_changed_prompt_is_refused",
        "e2e/test_resume.py::test_another_model_is_refused",
        "e2e/test_same_bot.py::test_another_bot_is_refused_by_the_name_of_what_changed",
    ),
    "15 the clock jumps": (
        "llm/test_retry.py::test_a_jump_of_the_wall_clock_changes_no_wait",
        "worksheets/google/test_http.py::test_a_quota_counts_any_sixty_seconds",
    ),
    "16 a spreadsheet: 429, a reply that is lost, half written": (
        "worksheets/google/test_broken_off.py::test_cut_off_at_any_request_it_ends_the_same",
        (
            "worksheets/google/test_broken_off.py::"
            "test_killed_at_any_request_and_started_again_it_ends_the_same"
        ),
        "worksheets/google/test_http.py::test_429_is_waited_for_at_least_as_long_as_google_says",
    ),
    "17 Ray: a worker, a node, the driver is killed": (
        "e2e/test_ray.py::test_the_part_of_a_worker_that_is_killed_is_played_by_another",
        "e2e/test_ray.py::test_what_was_played_on_a_node_that_is_lost_is_played_on_another",
        (
            "e2e/test_ray.py::"
            "test_a_driver_that_is_killed_takes_its_workers_along_and_no_key_and_a_resume_goes_on"
        ),
    ),
    "18 very many conversations": (
        (
            "e2e/test_many_talks.py::"
            "test_ten_thousand_conversations_are_held_in_the_memory_of_a_thousand"
        ),
        "store/test_store.py::test_reading_episodes_takes_the_memory_of_one",
    ),
    "19 a budget with 200 calls in flight": (
        "llm/test_chat.py::test_the_budget_holds_with_200_calls_in_flight",
        "e2e/test_resume.py::test_a_budget_holds_for_the_resume_too_unless_it_is_raised",
    ),
}


ATTACKS = {
    "a diff plants code": (
        "improve/test_diffs.py::test_attack_a_diff_plants_a_dotfile",
        "improve/test_diffs.py::test_attack_a_link_leads_a_diff_to_a_dotfile",
        "improve/test_diffs.py::test_attack_a_diff_changes_more_than_texts",
        "e2e/test_improve.py::test_attack_an_accepted_diff_of_code_is_not_written",
        "e2e/test_improve.py::test_attack_a_diff_plants_code_under_untrusted",
    ),
    "a planted verdict, and a judge that tells little": (
        "llm/test_structured.py::test_attack_a_verdict_is_planted_in_another_form",
        "llm/test_structured.py::test_attack_prose_around_a_verdict_hides_whose_it_is",
        "llm/test_structured.py::test_attack_a_verdict_with_a_key_twice",
        "checks/test_planted.py::test_attack_no_form_of_a_planted_verdict_is_taken",
        "view/test_summary.py::test_attack_a_judge_that_tells_little_passes_no_gate",
    ),
    "ids, passwords and formulas": (
        "targets/http/test_memory.py::test_attack_what_a_bot_hands_out_is_kept_nowhere",
        "store/test_faults.py::test_attack_a_password_of_any_letters_is_not_told",
        (
            "worksheets/test_xlsx_book.py::"
            "test_attack_a_text_becomes_a_formula_once_its_cell_is_edited"
        ),
    ),
    "another service on this machine": (
        "e2e/test_reach.py::test_attack_a_folder_asks_another_service_on_this_machine",
        "e2e/test_reach.py::test_attack_a_folder_that_was_read_once_reaches_more_later",
        ("targets/http/test_redirects.py::test_attack_a_bot_names_the_host_that_is_asked_next"),
        "targets/http/test_granted.py::test_attack_a_bot_names_the_host_that_is_asked_next",
        "targets/http/test_granted.py::test_attack_a_question_climbs_out_of_the_path",
        "worksheets/google/test_granted.py::test_attack_a_redirect_of_google_leads_elsewhere",
        "e2e/test_manifest.py::test_a_new_manifest_asks_once_and_a_changed_one_again",
        "e2e/test_manifest.py::test_attack_a_link_in_the_folder_leads_to_a_file_beside_it",
        "e2e/test_manifest.py::test_attack_mogi_is_brought_to_write_what_its_run_does_not_name",
    ),
    "short paths and long queries": (
        "formats/test_jmespath.py::test_attack_a_short_path_that_makes_much_is_told",
        "files/scenarios/test_loading.py::test_attack_a_query_without_end_is_told",
        "core/test_worker.py::test_attack_work_without_end_and_work_without_bounds_are_killed",
        "core/test_worker.py::test_attack_work_does_not_outlive_who_asked",
        "core/test_worker.py::test_attack_a_module_beside_the_client_is_not_imported",
        "core/test_worker.py::test_attack_an_answer_takes_too_long_to_be_looked_at",
        "e2e/test_computing.py::test_attack_a_template_copies_and_searches_a_long_text",
        "e2e/test_computing.py::test_attack_a_path_of_220_characters_makes_gigabytes",
        "e2e/test_computing.py::test_attack_a_client_yaml_of_322_kilobytes",
        "e2e/test_computing.py::test_attack_a_query_of_two_million_characters",
    ),
    "check runs code": (
        "e2e/test_reach.py::test_check_and_dry_run_say_all_that_is_reached_and_run_nothing",
        "e2e/test_reach.py::test_reports_of_ones_own_are_told_and_not_imported",
        "files/client/test_own_metrics.py::test_looked_at_it_is_not_run",
    ),
    "secrets leave silently": (
        "e2e/test_reach.py::test_untrusted_refuses_all_of_it_at_once",
        "e2e/test_reach.py::test_every_command_that_opens_a_folder_refuses",
        "e2e/test_reach.py::test_what_a_proxy_is_told_is_said",
        "e2e/test_reach.py::test_a_model_on_this_machine_is_asked_through_no_proxy",
        "files/client/test_confined.py::test_a_link_out_is_refused",
        "files/client/test_confined.py::test_no_file_of_any_kind_is_read_through_a_link",
        "test_api.py::test_a_folder_that_came_by_mail_is_played_without_trust",
    ),
    "2 MB of <title>, and other work on the event loop": (
        "bombs/test_bombs.py::test_a_bomb_ends_with_a_sentence",
        (
            "targets/test_large_answers.py::"
            "test_a_large_body_is_parsed_in_a_thread_and_a_usual_one_where_it_came"
        ),
    ),
    "forged blocks": (
        "metrics/judge/test_evidence.py::test_what_a_bot_says_stays_inside_the_fence_as_it_is",
        "llm/test_structured.py::test_a_repair_quotes_the_answer_and_what_is_wrong_with_it",
        "users/test_persona_llm.py::test_what_a_bot_says_never_looks_like_the_reminder",
        "e2e/test_judge_check.py::test_a_judge_that_obeys_is_flipped_and_fails_the_gate",
    ),
    "bombs": (
        "bombs/test_bombs.py::test_a_bomb_ends_with_a_sentence",
        "targets/wire/test_templates.py::test_a_bomb_ends_with_a_sentence",
        "targets/test_large_answers.py::test_more_than_any_answer_has_is_a_failure_of_the_bot",
        (
            "e2e/test_review_sheets.py::"
            "test_a_spreadsheet_beyond_the_bound_is_told_and_nothing_of_it_taken"
        ),
        "fuzz/test_fuzz.py::test_damaged_examples_are_read_or_complained_of",
    ),
    "a diff that came by mail": (
        "improve/test_diffs.py::test_a_new_file_is_not_written_through_a_link",
        "improve/test_diffs.py::test_a_copy_holds_nothing_from_outside",
        "improve/test_diffs.py::test_a_folder_that_is_too_large_is_not_copied",
        "improve/test_diffs.py::test_a_diff_of_too_many_lines_is_told",
        "improve/test_diffs.py::test_what_a_change_reaches_besides_is_told",
        "e2e/test_improve.py::test_what_a_diff_would_reach_is_refused_before_it_is_played",
    ),
    "too long": (
        "files/scenarios/test_loading.py::test_what_is_expected_at_more_length_than_is_read_is_told",
        "text/test_hostile_rows.py::test_a_row_of_one_thing_is_read_at_once",
        ("reports/test_html.py::test_long_texts_of_two_runs_are_cut_and_kept_beside_the_memory"),
        "execution/test_watched.py::test_more_files_than_that_are_refused_with_what_to_do",
    ),
    "too many documents, or conversations": (
        "targets/test_guard.py::test_documents_are_given_as_far_as_people_would_read",
        "execution/test_plan.py::test_more_conversations_than_one_run_can_hold_are_refused",
    ),
    "terminal": (
        (
            "console/test_channel.py::"
            "test_a_terminal_gets_the_colours_of_a_screen_and_nothing_of_a_text"
        ),
        "console/test_channel.py::test_only_the_console_writes_to_the_terminal",
        "e2e/test_hostile_names.py::test_no_control_character_is_printed",
    ),
    "other users": ("e2e/test_private_files.py::test_a_run_its_reports_its_log_and_its_exports",),
    "formulas, characters that nobody sees, a flood": (
        "core/test_clean.py::test_what_looks_like_a_formula_is_guarded",
        "worksheets/test_guard.py::test_reviewers_see_that_characters_are_hidden",
        "bombs/test_bombs.py::test_a_bomb_ends_with_a_sentence",
    ),
    "keys": (
        "e2e/test_canary.py::test_no_repr_no_log_and_no_error_shows_a_key",
        "e2e/test_canary.py::test_a_traceback_with_its_locals_shows_none",
    ),
}


def test_each_fault_has_tests_that_are_there() -> None:
    tests = {**FAULTS, **ATTACKS}
    assert [] == [fault for fault, names in tests.items() if not names]
    assert [] == [name for names in tests.values() for name in names if not _is_there(name)]


def _is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return re.search(rf"^ *(?:async )?def {name}\(", _text(file), re.MULTILINE) is not None


@cache
def _text(file: str) -> str:
    return (TESTS / file).read_text("utf-8")
