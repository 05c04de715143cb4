"""Django OAuth Toolkit as a provider of one file: `python toolkit_site.py` fills its database, gunicorn serves
`toolkit_site:application`."""

import os

import django
from django.conf import settings

FOLDER, PORT = os.environ["PROVIDER_FOLDER"], os.environ["PROVIDER_PORT"]
ISSUER = f"https://127.0.0.1:{PORT}"

settings.configure(
    SECRET_KEY="of this test only",
    DEBUG=False,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="toolkit_site",
    USE_TZ=True,
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.admin",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/db.sqlite3", "OPTIONS": {"timeout": 20}}
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    CSRF_TRUSTED_ORIGINS=[ISSUER],
    LOGIN_URL="/admin/login/",
    STATIC_URL="/static/",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": open(f"{FOLDER}/signing.pem").read(),
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "SCOPES": {"openid": "Who you are", "profile": "Your name", "email": "Your address", "read": "Read things"},
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"],
        "OAUTH2_VALIDATOR_CLASS": "toolkit_site.Validator",
    },
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402


class Validator(OAuth2Validator):
    oidc_claim_scope = {**OAuth2Validator.oidc_claim_scope, "preferred_username": "openid"}

    def get_additional_claims(self):
        return {"preferred_username": lambda request: request.user.username}


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("admin/", admin.site.urls),
]
application = get_wsgi_application()


def fill():
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    User.objects.create_superuser("grace", "grace@lab.example", "correct horse", first_name="Grace", last_name="Hopper")
    Application.objects.create(
        name="Lab command line",
        client_id="toolkit/native",
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/",
        algorithm="RS256",
        skip_authorization=False,
    )


if __name__ == "__main__":
    fill()
